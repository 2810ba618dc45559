package keyheat.hbase;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Runs the script that {@code keyheat export --to hbase-shell} wrote, in the published HBase shell and against a mini cluster, as its users do; and sees
 * that it drops what it created, and nothing else.
 */
final class Shell {
  private static final int PATIENCE_SECONDS = 150;
  /** When a replay that is to be interrupted is well under way. */
  private static final String UNDER_WAY = "replaying";

  private final Cluster cluster;
  private final Exported export;
  private final TableName table;
  private final Path script;
  private final Path folder;

  /** {@code export} is the same as JSON lines; the script stands beside it. */
  Shell(Cluster cluster, Exported export, Path file) throws IOException {
    this.cluster = cluster;
    this.export = export;
    table = TableName.valueOf("keyheat_" + export.scenario + "_" + export.strategy);
    script = Path.of(file.toString().replace(".jsonl", ".rb"));
    folder = Files.createDirectories(Path.of(file.toString().replace(".jsonl", "")));
    HeldHandlers.times = HeldHandlers.Times.of(export.settings);
  }

  /** What was measured stands in {@code measured.txt}. */
  void run() throws Exception {
    expect("measured", Map.of(), 0, "\"schema_version\":1", false);
    expect("interrupted", Map.of(), 130, "\"cut_short\":\"interrupted\"", false);
    cluster.createPlain(table);
    expect("exists", Map.of(), 2, "exists already", true);
    expect("named", Map.of("KEYHEAT_TABLE", table.getNameAsString()), 0, "\"table_created\":false", true);
    cluster.drop(table);
    expect("named-missing", Map.of("KEYHEAT_TABLE", "nobody_has_it"), 2, "there is no such table", false);
    expect("nowhere", Map.of("NOWHERE", "1"), 3, "no HBase answers at", false);
  }

  /** The cells of the scenario `cells` are in a table that is kept; and a table that the script makes is one that HBase takes. */
  void cells() throws Exception {
    expect("created", Map.of(), 0, "\"table_created\":true", false);
    TableName kept = cluster.create(export, "_kept");
    expect("kept", Map.of("KEYHEAT_TABLE", kept.getNameAsString()), 0, "\"table_created\":false", false);
    Set<ByteBuffer> points = new HashSet<>();
    export.existing.forEach(row -> points.add(ByteBuffer.wrap(row.key())));
    export.writes.get("points").forEach(write -> points.add(ByteBuffer.wrap(write.key())));
    boolean isNamed = export.strategy.equals("named");
    Set<ByteBuffer> events = isNamed ? undeleted() : null;
    int cells = 0;
    try (Table client = cluster.connection.getTable(kept); ResultScanner all = client.getScanner(new Scan())) {
      for (Result row : all) {
        ByteBuffer key = ByteBuffer.wrap(row.getRow());
        Map<byte[], byte[]> ofPoints = row.getFamilyMap(Bytes.toBytes("m"));
        Map<byte[], byte[]> ofEvents = row.getFamilyMap(Bytes.toBytes("e"));
        cells += ofPoints.size() + ofEvents.size();
        boolean isRight = ofPoints.isEmpty() != points.contains(key) && ofEvents.values().stream().allMatch(value -> value.length == 10);
        if (isNamed) {
          byte[] temperature = ofPoints.get(Bytes.toBytes("temp"));
          byte[] echo = ofPoints.get(Bytes.toBytes("echo"));
          isRight &= ofEvents.isEmpty() != events.contains(key)
              && (ofPoints.isEmpty() || ofPoints.size() == 2 && temperature.length == 4 && Bytes.equals(echo, row.getRow()));
        } else {
          int tens = key.getInt(0);
          isRight &= ofPoints.entrySet().stream().allMatch(cell -> 10 * tens + Bytes.toShort(cell.getKey()) == Bytes.toInt(cell.getValue()));
        }
        if (!isRight) {
          throw new IOException("not the cells of the scenario: " + row);
        }
      }
    }
    System.err.printf("shell, %s: %d cells as the scenario says%n", export.id(), cells);
    if (cells < points.size()) {
      throw new IOException("only " + cells + " cells in " + kept);
    }
    cluster.drop(kept);
  }

  /** The rows with an event that no later delete hides. */
  private Set<ByteBuffer> undeleted() {
    record Change(double at, byte[] key, boolean isDelete) {}
    List<Change> changes = new ArrayList<>();
    export.writes.get("events").forEach(write -> changes.add(new Change(write.at(), write.key(), false)));
    export.writes.get("gone").forEach(write -> changes.add(new Change(write.at(), write.key(), true)));
    changes.sort(Comparator.comparingDouble(Change::at));
    Set<ByteBuffer> rows = new HashSet<>();
    for (Change change : changes) {
      ByteBuffer key = ByteBuffer.wrap(change.key());
      if (change.isDelete()) {
        rows.remove(key);
      } else {
        rows.add(key);
      }
    }
    return rows;
  }

  private void expect(String name, Map<String, String> environment, int code, String said, boolean remains) throws Exception {
    long start = System.nanoTime();
    Path out = folder.resolve(name + ".txt");
    Path err = folder.resolve(name + ".err");
    Process shell = start(environment, out, err);
    if (name.equals("interrupted")) {
      while (!Files.readString(err).contains(UNDER_WAY) && shell.isAlive()) {
        Thread.sleep(100);
      }
      Thread.sleep(9_000);
      new ProcessBuilder("kill", "-INT", Long.toString(shell.pid())).start().waitFor();
    }
    if (!shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      shell.destroyForcibly();
      throw new IOException(name + ": the shell does not end; " + err);
    }
    String all = Files.readString(out) + Files.readString(err);
    System.err.printf("shell, %s: exit code %d after %.0f s%n", name, shell.exitValue(), (System.nanoTime() - start) / 1e9);
    if (shell.exitValue() != code || !all.contains(said) || cluster.admin.tableExists(table) != remains) {
      throw new IOException("%s: expected exit code %d, `%s` and %s table; found %d in %s".formatted(
          name, code, said, remains ? "the" : "no", shell.exitValue(), err));
    }
  }

  private Process start(Map<String, String> environment, Path out, Path err) throws IOException {
    Path conf = Files.createDirectories(folder.resolve("conf"));
    Configuration site = new Configuration(false);
    Configuration all = cluster.configuration();
    for (String name : new String[] {"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent"}) {
      site.set(name, all.get(name));
    }
    site.setBoolean("hbase.defaults.for.version.skip", true);
    if (environment.containsKey("NOWHERE")) {
      // Nobody listens there.
      site.setInt("hbase.zookeeper.property.clientPort", 1);
    }
    try (OutputStream to = Files.newOutputStream(conf.resolve("hbase-site.xml"))) {
      site.writeXml(to);
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (!flag.startsWith("-Xm")) {
        command.add(flag);
      }
    }
    String shell = Path.of("target", "hbase", "shell").toString() + File.separator + "*";
    command.addAll(List.of("-Xmx700m", "-cp", conf + File.pathSeparator + System.getProperty("java.class.path") + File.pathSeparator + shell,
        "org.jruby.JarBootstrapMain", "-n", script.toString()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile())
        .redirectInput(Redirect.from(new File("/dev/null")));
    builder.environment().putAll(environment);
    return builder.start();
  }
}
