package keyheat.hbase;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
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

  /** What was measured stands in {@code measured.txt}, of the script's table, and in {@code named.txt}, of one that was there. */
  void run() throws Exception {
    expectMeasured("measured", Map.of(), "\"table_created\":true", false);
    expect("interrupted", Map.of(), 130, "\"cut_short\":\"interrupted\"", false);
    cluster.createPlain(table, export.splits);
    expect("exists", Map.of(), 2, "exists already", true);
    expectMeasured("named", Map.of("KEYHEAT_TABLE", table.getNameAsString()), "\"table_created\":false", true);
    cluster.drop(table);
    expect("named-missing", Map.of("KEYHEAT_TABLE", "nobody_has_it"), 2, "there is no such table", false);
    expect("nowhere", Map.of("NOWHERE", "1"), 3, "no HBase answers at", false);
  }

  /** Has the script make a table, and write to one that is kept: which cells are seen there afterwards, and how many deletes there were. */
  void cells(Measured out) throws Exception {
    if (export.strategy.equals("named")) {
      // The families are those of the other strategy as well.
      expect("created", Map.of(), 0, "\"table_created\":true", false);
    }
    TableName kept = cluster.create(export, "_kept");
    expect("kept", Map.of("KEYHEAT_TABLE", kept.getNameAsString()), 0, "\"table_created\":false", false);
    for (String family : export.settings.families()) {
      List<byte[]> names = new ArrayList<>();
      for (Cell cell : cells(kept, new Scan().addFamily(Bytes.toBytes(family)))) {
        checkValue(family, cell);
        names.add(Bytes.add(CellUtil.cloneRow(cell), CellUtil.cloneQualifier(cell)));
      }
      out.say(export, "cells." + family, Measured.Kind.EXACT, Facts.digest(names.toArray(byte[][]::new), "cells"));
    }
    long deletes = cells(kept, new Scan().setRaw(true)).stream().filter(CellUtil::isDelete).count();
    out.say(export, "deletes", Measured.Kind.EXACT, deletes);
    cluster.drop(kept);
  }

  private List<Cell> cells(TableName of, Scan scan) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (Table client = cluster.connection.getTable(of); ResultScanner all = client.getScanner(scan)) {
      all.forEach(row -> cells.addAll(row.listCells()));
    }
    return cells;
  }

  /** In the scenario `cells` a value is four bytes, of `echo` and of a qualifier that follows the record those of its id; of events it is ten. */
  private void checkValue(String family, Cell cell) throws IOException {
    byte[] value = CellUtil.cloneValue(cell);
    byte[] row = CellUtil.cloneRow(cell);
    byte[] qualifier = CellUtil.cloneQualifier(cell);
    boolean isRight = value.length == (family.equals("e") ? 10 : 4);
    if (family.equals("m") && export.strategy.equals("qualified")) {
      isRight &= 10 * Bytes.toInt(row) + Bytes.toShort(qualifier) == Bytes.toInt(value);
    } else if (family.equals("m")) {
      isRight &= Bytes.toString(qualifier).equals("temp") || Bytes.equals(value, row);
    }
    if (!isRight) {
      throw new IOException("not a value of the scenario: " + cell);
    }
  }

  /** Replays all of it, and says for how long handlers were held meanwhile. */
  private void expectMeasured(String name, Map<String, String> environment, String said, boolean remains) throws Exception {
    HeldHandlers.Times times = HeldHandlers.times;
    HeldHandlers.reset();
    HeldHandlers.times = times;
    expect(name, environment, 0, said, remains);
    System.err.printf("shell, %s: holds lasted %.4f of what was drawn, %s%n", name, HeldHandlers.heldOverDrawn(), HeldHandlers.meansDrawn());
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
