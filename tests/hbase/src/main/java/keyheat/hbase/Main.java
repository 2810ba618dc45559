package keyheat.hbase;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;

/**
 * {@code Main MEASURED REPEAT EXPERIMENT...}: makes the experiments one after another and appends what they measure to a file. An experiment
 * is {@code splits}, or a program and the file that {@code keyheat export} wrote for it: {@code load:keys.salted.jsonl}.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    List<String> failed = new ArrayList<>();
    try (Measured out = new Measured(Path.of(arguments[0]), Integer.parseInt(arguments[1]))) {
      Cluster cluster = null;
      for (String experiment : List.of(arguments).subList(2, arguments.length)) {
        long start = System.nanoTime();
        try {
          cluster = run(experiment, cluster, out);
        } catch (Exception | LinkageError error) {
          error.printStackTrace();
          failed.add(experiment + ": " + error);
          // Whatever state it is in, nobody goes on with it.
          cluster = null;
        }
        System.err.printf("%s: %.0f s%n", experiment, (System.nanoTime() - start) / 1e9);
      }
    }
    failed.forEach(failure -> System.err.println("failed: " + failure));
    System.err.flush();
    // A mini cluster takes long to end, and sometimes does not; its files lie in a folder that `run` deletes.
    Runtime.getRuntime().halt(failed.isEmpty() ? 0 : 1);
  }

  /** Makes one experiment, on the cluster of the one before if that suits it; the cluster that is there afterwards. */
  private static Cluster run(String experiment, Cluster before, Measured out) throws Exception {
    int colon = experiment.indexOf(':');
    String program = colon < 0 ? experiment : experiment.substring(0, colon);
    if (program.equals("splits")) {
      Facts.splits(out);
      return before;
    }
    Exported export = new Exported(Path.of(experiment.substring(colon + 1)));
    if (program.equals("files")) {
      new StoreFiles(export).measure(out);
      return before;
    }
    Cluster cluster = before;
    boolean inShell = program.equals("shell");
    boolean ofCells = program.equals("cells");
    if (before == null || inShell || !before.suits(export.settings)) {
      if (before != null) {
        before.close();
      }
      cluster = new Cluster(export.settings, inShell);
      if (!ofCells) {
        warmUp(cluster, export);
      }
    }
    HeldHandlers.reset();
    if (ofCells) {
      new Shell(cluster, export, Path.of(experiment.substring(colon + 1))).cells(out);
      return cluster;
    }
    if (inShell) {
      new Shell(cluster, export, Path.of(experiment.substring(colon + 1))).run();
      cluster.close();
      return null;
    }
    if (program.equals("dealing")) {
      Facts.dealing(cluster, out);
      return cluster;
    }
    TableName table = cluster.create(export, "");
    if (export.settings.text("table.placement").equals("in-order")) {
      cluster.pin(table);
    }
    switch (program) {
      case "load" -> new Load(cluster, export, table).run(out);
      case "routing" -> Facts.routing(cluster, export, table, out);
      case "reads" -> Facts.reads(cluster, export, table, out);
      case "families" -> Families.measure(cluster, export, table, out);
      case "starts" -> Starts.measure(cluster, export, table, out);
      case "growth" -> Growth.measure(cluster, export, table, out);
      default -> throw new IllegalArgumentException("no program " + program);
    }
    cluster.drop(table);
    return cluster;
  }

  /** A short load without holds: classes are loaded and compiled, every server has been talked to. */
  private static void warmUp(Cluster cluster, Exported export) throws Exception {
    HeldHandlers.reset();
    TableName table = cluster.create(export, "_warm_up");
    List<byte[]> rows = export.rows();
    if (!rows.isEmpty()) {
      Load load = new Load(cluster, export, table);
      try (var client = cluster.connection.getTable(table)) {
        long end = System.nanoTime() + 3_000_000_000L;
        for (int i = 0; System.nanoTime() < end; i++) {
          try {
            client.put(load.put(rows.get(i % rows.size())));
          } catch (IOException refused) {
            // Where clients do not try again a small memstore refuses some of so fast a load.
            Thread.sleep(10);
          }
        }
      }
    }
    cluster.drop(table);
  }
}
