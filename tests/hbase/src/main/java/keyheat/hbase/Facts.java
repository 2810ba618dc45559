package keyheat.hbase;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.RegionSplitter;

/** What chance and speed have no part in: split points, where rows go, what reads ask for, how many regions servers get. */
final class Facts {
  private static final int[] REGIONS = {2, 3, 4, 5, 7, 8, 10, 12, 15, 16, 20, 24, 32, 33, 50, 60, 64, 100, 128, 200, 256, 300, 500, 512, 1000, 1024};
  private static final int[] RANGES = {3, 4, 5, 8, 10, 16, 37};
  private static final byte[] FIRST = Bytes.toBytes("0000000000000000");
  private static final byte[] LAST = Bytes.toBytes("ffffffffffffffff");

  private Facts() {}

  /** The split points of HBase's own algorithms: their number and a digest of their bytes. */
  static void splits(Measured out) throws Exception {
    Map<String, String> algorithms =
        Map.of("hex-string", "HexStringSplit", "decimal-string", "DecimalStringSplit", "uniform", "UniformSplit");
    for (Map.Entry<String, String> algorithm : algorithms.entrySet()) {
      for (int n : REGIONS) {
        byte[][] points = RegionSplitter.newSplitAlgoInstance(new Configuration(), algorithm.getValue()).split(n);
        out.say("splits/" + algorithm.getKey() + "/" + n, Measured.Kind.EXACT, digest(points, "points"));
      }
    }
    for (int n : RANGES) {
      // Admin.createTable(descriptor, first, last, n) cuts so.
      byte[][] points = n == 3 ? new byte[][] {FIRST, LAST} : Bytes.split(FIRST, LAST, n - 3);
      out.say("splits/bytes/" + n, Measured.Kind.EXACT, digest(points, "points"));
    }
  }

  /** How many there are, and what only the same bytes in the same order give. */
  static String digest(byte[][] points, String what) throws NoSuchAlgorithmException {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    for (byte[] point : points) {
      sha.update((HexFormat.of().formatHex(point) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return points.length + " " + what + ", " + HexFormat.of().formatHex(sha.digest()).substring(0, 16);
  }

  /** Writes all rows of an export: what each region got, and how many rows the table then has. */
  static void routing(Cluster cluster, Exported export, TableName table, Measured out) throws IOException {
    new Load(cluster, export, table).fill(export.rows());
    TreeMap<byte[], Long> regions = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    HeldHandlers.ASKED.values().forEach(asked -> regions.merge(asked.start, asked.puts.sum(), Long::sum));
    out.say(export, "region_rows", Measured.Kind.EXACT, new ArrayList<>(regions.values()));
    long rows = 0;
    try (Table client = cluster.connection.getTable(table); ResultScanner all = client.getScanner(new Scan().setCaching(1000))) {
      while (all.next() != null) {
        rows++;
      }
    }
    out.say(export, "rows", Measured.Kind.EXACT, rows);
  }

  /** One read after another, without holds: the calls and the rows that servers read, mean of each. */
  static void reads(Cluster cluster, Exported export, TableName table, Measured out) throws IOException {
    new Load(cluster, export, table).fill(export.rows());
    cluster.admin.flush(table);
    for (Map.Entry<String, List<Exported.Read>> read : export.reads.entrySet()) {
      String rows = "read." + read.getKey() + ".newest.rows";
      int limit = export.settings.has(rows) ? export.settings.integer(rows) : 0;
      double calls = 0;
      double scanned = 0;
      try (Table client = cluster.connection.getTable(table)) {
        for (Exported.Read one : read.getValue()) {
          HeldHandlers.GET_CALLS.reset();
          for (Result result : client.get(one.gets().stream().map(Get::new).toList())) {
            scanned += result.isEmpty() ? 0 : 1;
          }
          calls += HeldHandlers.GET_CALLS.sum();
          for (Exported.Range range : one.scans()) {
            try (ResultScanner scanner = client.getScanner(Load.scan(range, limit).setScanMetricsEnabled(true))) {
              scanner.forEach(row -> { });
              ScanMetrics metrics = scanner.getScanMetrics();
              calls += metrics.countOfRPCcalls.get();
              scanned += metrics.countOfRowsScanned.get();
            }
          }
        }
      }
      int count = read.getValue().size();
      String name = "read." + read.getKey() + ".";
      out.say(export, name + "calls", Measured.Kind.EXACT, calls / count);
      out.say(export, name + "rows_read", Measured.Kind.EXACT, scanned / count);
    }
  }

  /** Tables of k regions as HBase itself deals them: the difference between the most and the fewest regions of a server. */
  static void dealing(Cluster cluster, Measured out) throws IOException {
    for (int k : new int[] {4, 8, 12, 16, 32}) {
      int widest = 0;
      int inOrder = 0;
      int tables = 4;
      for (int t = 0; t < tables; t++) {
        TableName table = TableName.valueOf("dealing_" + k + "_" + t);
        byte[][] points = new byte[k - 1][];
        for (int i = 1; i < k; i++) {
          points[i - 1] = new byte[] {(byte) i};
        }
        cluster.admin.createTable(TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("d")).build(), points);
        List<Integer> servers = new ArrayList<>(cluster.placement(table).values());
        int[] counts = new int[cluster.servers.size()];
        servers.forEach(server -> counts[server]++);
        int most = java.util.Arrays.stream(counts).max().orElse(0);
        int fewest = java.util.Arrays.stream(counts).min().orElse(0);
        widest = Math.max(widest, most - fewest);
        inOrder += isInOrder(servers, counts.length) ? 1 : 0;
        cluster.drop(table);
      }
      out.say("dealing/" + k + "/counts_differ_by", Measured.Kind.EXACT, widest);
      if (k > cluster.servers.size()) {
        out.say("dealing/" + k + "/tables_in_key_order", Measured.Kind.EXACT, inOrder);
      }
    }
  }

  /** Region i + n lies where region i does, and no two of n in a row together. */
  private static boolean isInOrder(List<Integer> servers, int n) {
    Map<Integer, Integer> seen = new HashMap<>();
    for (int i = 0; i < servers.size(); i++) {
      if (i >= n ? !servers.get(i).equals(servers.get(i - n)) : seen.put(servers.get(i), i) != null) {
        return false;
      }
    }
    return true;
  }
}
