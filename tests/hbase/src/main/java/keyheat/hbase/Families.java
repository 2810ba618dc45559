package keyheat.hbase;

import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;

/** What each flush of a region of several families writes: of all its families together, since one flush may write some of them. */
final class Families {
  /** Files of one flush are there within such a time, and those of two are not. */
  private static final long SAME_FLUSH_NANOS = 400_000_000L;

  private Families() {}

  static void measure(Cluster cluster, Exported export, TableName table, Measured out) throws Exception {
    Load load = new Load(cluster, export, table);
    load.run(null);
    TreeMap<Long, Long> flushes = new TreeMap<>();
    for (HeldHandlers.Flushed file : HeldHandlers.FLUSHED) {
      if (file.nanos() < load.end()) {
        Long one = flushes.floorKey(file.nanos());
        boolean isSame = one != null && file.nanos() - one < SAME_FLUSH_NANOS;
        flushes.merge(isSame ? one : file.nanos(), file.bytes(), Long::sum);
      }
    }
    System.err.println(export.id() + "files: " + List.copyOf(HeldHandlers.FLUSHED).stream()
        .map(file -> "%s %d at %.3f s".formatted(file.family(), file.bytes(), (file.nanos() - load.start()) / 1e9)).toList());
    out.say(export, "flushes", Measured.Kind.FLUSH, flushes.size());
    var bytes = flushes.values().stream().mapToLong(Long::longValue).summaryStatistics();
    out.say(export, "flush_bytes.mean", Measured.Kind.FLUSH, bytes.getAverage());
    out.say(export, "flush_bytes.min", Measured.Kind.FLUSH, bytes.getMin());
    out.say(export, "flush_bytes.max", Measured.Kind.FLUSH, bytes.getMax());
    double between = (flushes.lastKey() - flushes.firstKey()) / 1e6 / (flushes.size() - 1);
    out.say(export, "ms_between_flushes", Measured.Kind.FLUSH, between);
  }
}
