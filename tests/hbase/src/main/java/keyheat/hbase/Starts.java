package keyheat.hbase;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ServerType;

/** Whether the balancer starts under a load: it keeps a list of the times when it does not. */
final class Starts {
  private Starts() {}

  static void measure(Cluster cluster, Exported export, TableName table, Measured out) throws Exception {
    Load load = new Load(cluster, export, table);
    load.run(null);
    int rejections = cluster.admin.getLogEntries(null, "BALANCER_REJECTION", ServerType.MASTER, 1000, null).size();
    System.err.printf("%s: the balancer was called %d times, and did not start %d times%n", export.id(), load.balanced(), rejections);
    out.say(export, "balancer_starts", Measured.Kind.EXACT, load.balanced() > rejections);
  }
}
