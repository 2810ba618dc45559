package keyheat.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** A table that splits as it grows under a key that begins with a rising number: when, and at which numbers. */
final class Growth {
  private static final int ROWS_A_BATCH = 50;
  private static final long LOOK_EVERY_MS = 50;

  private Growth() {}

  static void measure(Cluster cluster, Exported export, TableName table, Measured out) throws Exception {
    Load load = new Load(cluster, export, table);
    List<byte[]> rows = export.rows();
    double perSecond = rows.size() / export.settings.seconds("time.duration");
    long start = System.nanoTime();
    IOException[] failure = new IOException[1];
    long[] written = new long[1];
    Thread writer = new Thread(() -> {
      try (Table client = cluster.connection.getTable(table)) {
        for (int at = 0; at < rows.size(); at += ROWS_A_BATCH) {
          // What a split holds up is made good afterwards.
          Load.parkUntil(start + (long) (at / perSecond * 1e9));
          List<Put> puts = new ArrayList<>();
          rows.subList(at, Math.min(at + ROWS_A_BATCH, rows.size())).forEach(row -> puts.add(load.put(row)));
          client.put(puts);
          written[0] = at + puts.size();
        }
      } catch (IOException error) {
        failure[0] = error;
      }
    }, "writer");
    writer.setDaemon(true);
    writer.start();
    TreeSet<Long> splits = new TreeSet<>();
    long first = 0;
    while (writer.isAlive()) {
      for (byte[] key : cluster.placement(table).keySet()) {
        // A split row may be a cut separator: what is missing counts as zeros.
        if (key.length > 0 && splits.add(Bytes.toLong(Arrays.copyOf(key, 8))) && first == 0) {
          first = written[0];
        }
      }
      Thread.sleep(LOOK_EVERY_MS);
    }
    if (failure[0] != null) {
      throw failure[0];
    }
    System.err.println(export.id() + "split_rows: " + splits);
    out.say(export, "splits", Measured.Kind.SPLITS, splits.size());
    if (splits.size() > 3) {
      List<Long> numbers = new ArrayList<>(splits);
      double between = (numbers.get(numbers.size() - 1) - numbers.get(1)) / (double) (numbers.size() - 2);
      out.say(export, "rows_between_splits", Measured.Kind.SPLITS, between);
      out.say(export, "first_split_after_rows", Measured.Kind.SPLITS, first);
    }
  }
}
