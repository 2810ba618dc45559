package keyheat.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.StartMiniClusterOption;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.RpcScheduler;
import org.apache.hadoop.hbase.conf.ConfigurationObserver;
import org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.IncreasingToUpperBoundRegionSplitPolicy;
import org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy;
import org.apache.hadoop.hbase.master.balancer.SimpleLoadBalancer;
import org.apache.hadoop.hbase.master.balancer.StochasticLoadBalancer;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil;

/** A mini cluster in this JVM: ZooKeeper, a master and region servers on loopback, with files on the local disk. */
final class Cluster implements AutoCloseable {
  private static final int DAY_MS = 24 * 3600 * 1000;
  /** Calls that a queue holds when it is to refuse none. */
  private static final int UNLIMITED = 100_000;

  /** Compactions that are slower don't take place. */
  private static final long LEAST_COMPACTION_BANDWIDTH = 1_000_000;

  private final HBaseTestingUtility util;
  final Connection connection;
  final AsyncConnection async;
  final Admin admin;
  final List<ServerName> servers = new ArrayList<>();
  private final String likeness;

  /** {@code holdsAll} is whether calls of all tables are held, or only those of tables that are created here. */
  Cluster(Settings settings, boolean holdsAll) throws Exception {
    likeness = likeness(settings);
    Configuration conf = configuration(settings);
    if (holdsAll) {
      conf.set("hbase.coprocessor.user.region.classes", HeldHandlers.class.getName());
    }
    util = new HBaseTestingUtility(conf);
    util.startMiniZKCluster();
    int count = settings.integer("cluster.servers");
    util.startMiniHBaseCluster(StartMiniClusterOption.builder().numMasters(1).numRegionServers(count).build());
    for (JVMClusterUtil.RegionServerThread thread : util.getMiniHBaseCluster().getRegionServerThreads()) {
      servers.add(thread.getRegionServer().getServerName());
    }
    connection = ConnectionFactory.createConnection(util.getConfiguration());
    async = ConnectionFactory.createAsyncConnection(util.getConfiguration()).get();
    admin = connection.getAdmin();
    admin.balancerSwitch(false, true);
    limitQueues(settings);
  }

  /** What two scenarios have in common that can run on one cluster. */
  private static String likeness(Settings settings) {
    StringBuilder text = new StringBuilder();
    for (String path : new String[] {"cluster.servers", "cluster.handlers", "cluster.call_queues", "cluster.call_queue_length",
        "client.retries", "client.pause", "table.memstore_block_multiplier", "table.blocking_store_files", "table.min_compaction_size",
        "table.discharger_period", "balancer.policy", "balancer.period"}) {
      text.append(settings.has(path) ? settings.text(path) : "-").append(' ');
    }
    return text.toString();
  }

  boolean suits(Settings settings) {
    return likeness.equals(likeness(settings)) && servers.size() == settings.integer("cluster.servers");
  }

  private static Configuration configuration(Settings settings) {
    Configuration conf = HBaseConfiguration.create();
    // The tests' own hbase-site.xml is not in the published jars.
    conf.setBoolean("hbase.defaults.for.version.skip", true);
    // Loopback only, whatever the machine's own name resolves to; no pages.
    for (String who : new String[] {"hbase.master.hostname", "hbase.unsafe.regionserver.hostname", "hbase.regionserver.hostname"}) {
      conf.set(who, "localhost");
    }
    conf.setInt("hbase.master.info.port", -1);
    conf.setInt("hbase.regionserver.info.port", -1);
    conf.setInt("hbase.master.port", 0);
    conf.setInt("hbase.regionserver.port", 0);
    int handlers = settings.integer("cluster.handlers");
    int queues = settings.integer("cluster.call_queues");
    conf.setInt("hbase.regionserver.handler.count", handlers);
    conf.setFloat("hbase.ipc.server.callqueue.handler.factor", queues == 1 ? 0f : (float) queues / handlers);
    conf.setInt("hbase.ipc.server.max.callqueue.length", UNLIMITED);
    conf.setInt("hbase.regionserver.metahandler.count", 6);
    conf.setInt("hbase.client.retries.number", settings.integer("client.retries"));
    conf.setLong("hbase.client.pause", settings.nanos("client.pause") / 1_000_000);
    conf.setInt("hbase.hregion.memstore.block.multiplier", settings.integer("table.memstore_block_multiplier"));
    conf.setInt("hbase.hstore.blockingStoreFiles", settings.integer("table.blocking_store_files"));
    conf.setLong("hbase.hstore.compaction.min.size", settings.bytes("table.min_compaction_size"));
    conf.setLong("hbase.hfile.compaction.discharger.interval", settings.nanos("table.discharger_period") / 1_000_000);
    conf.setInt("hbase.regionserver.msginterval", 500);
    // Nothing moves or merges regions by itself.
    conf.setInt("hbase.balancer.period", DAY_MS);
    conf.setInt("hbase.balancer.statusPeriod", DAY_MS);
    conf.setInt("hbase.normalizer.period", DAY_MS);
    conf.setBoolean("hbase.table.sanity.checks", false);
    if (settings.balances()) {
      balancer(conf, settings);
    }
    // All servers share a heap.
    conf.setFloat("hfile.block.cache.size", 0.05f);
    conf.setFloat("hbase.hregion.memstore.chunkpool.maxsize", 0f);
    conf.setInt("hbase.netty.worker.count", 2);
    conf.setInt("hbase.ipc.server.read.threadpool.size", 2);
    conf.setInt("hbase.client.start.log.errors.counter", 1000);
    conf.set("hbase.wal.provider", "asyncfs");
    conf.set("hbase.regionserver.wal.async.writer.impl", SlowLog.class.getName());
    return conf;
  }

  /** The scenario's balancer, which `balance` runs: moves have the whole period, and a search stops before the next one. */
  private static void balancer(Configuration conf, Settings settings) {
    int period = (int) (settings.nanos("balancer.period") / 1_000_000);
    boolean isSimple = settings.text("balancer.policy").equals("simple");
    Class<?> policy = isSimple ? SimpleLoadBalancer.class : StochasticLoadBalancer.class;
    conf.set("hbase.master.loadbalancer.class", policy.getName());
    conf.setInt("hbase.balancer.max.balancing", period);
    conf.setBoolean("hbase.master.balancer.rejection.buffer.enabled", true);
    conf.setLong("hbase.master.balancer.stochastic.maxRunningTime", period * 2L / 3);
    if (settings.has("balancer.samples")) {
      conf.setLong("hbase.balancer.statusPeriod", settings.nanos("balancer.samples") / 1_000_000);
    }
  }

  /** The limit of call queues is read at each call: set when the cluster is up, it refuses none of those that start it. */
  private void limitQueues(Settings settings) {
    String length = settings.text("cluster.call_queue_length");
    if (length.equals("unlimited")) {
      return;
    }
    for (int i = 0; i < servers.size(); i++) {
      Configuration conf = server(i).getConfiguration();
      conf.setInt("hbase.ipc.server.max.callqueue.length", Integer.parseInt(length));
      RpcScheduler scheduler = server(i).getRpcServer().getScheduler();
      ((ConfigurationObserver) scheduler).onConfigurationChange(conf);
    }
  }

  /** Creates the table of a scenario, its name followed by a suffix, with its split points, held handlers and sizes. */
  TableName create(Exported export, String suffix) throws IOException {
    Settings settings = export.settings;
    TableName table = TableName.valueOf(export.scenario + "_" + export.strategy + suffix);
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table)
        .setCompactionEnabled(settings.bytes("table.compaction_bandwidth.high") >= LEAST_COMPACTION_BANDWIDTH)
        .setCoprocessor(HeldHandlers.class.getName())
        .setMaxFileSize(settings.bytes("table.max_file_size"))
        .setMemStoreFlushSize(settings.bytes("table.memstore_flush_size"))
        .setRegionSplitPolicyClassName(splitPolicy(settings.text("table.split_policy")).getName());
    settings.families().forEach(family -> builder.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family)));
    if (export.splits.length == 0) {
      admin.createTable(builder.build());
    } else {
      admin.createTable(builder.build(), export.splits);
    }
    return table;
  }

  /** Creates a table with these split points, and nothing else set. */
  void createPlain(TableName table, byte[][] splits) throws IOException {
    admin.createTable(TableDescriptorBuilder.newBuilder(table).setColumnFamily(ColumnFamilyDescriptorBuilder.of("d")).build(), splits);
  }

  Configuration configuration() {
    return util.getConfiguration();
  }

  private static Class<?> splitPolicy(String word) {
    return switch (word) {
      case "disabled" -> DisabledRegionSplitPolicy.class;
      case "constant-size" -> ConstantSizeRegionSplitPolicy.class;
      case "stepping" -> SteppingSplitPolicy.class;
      case "increasing" -> IncreasingToUpperBoundRegionSplitPolicy.class;
      default -> throw new IllegalArgumentException("no split policy " + word);
    };
  }

  void drop(TableName table) throws IOException {
    admin.disableTable(table);
    admin.deleteTable(table);
  }

  HRegionServer server(int at) {
    return util.getMiniHBaseCluster().getRegionServer(servers.get(at));
  }

  /** The open regions of a table with the numbers of their servers, by start key. */
  TreeMap<byte[], Integer> placement(TableName table) {
    TreeMap<byte[], Integer> found = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (int i = 0; i < servers.size(); i++) {
      for (HRegion region : server(i).getRegions(table)) {
        if (!region.isClosed() && !region.isClosing()) {
          found.put(region.getRegionInfo().getStartKey(), i);
        }
      }
    }
    return found;
  }

  /** Puts region i on server i mod n, as the placement "in-order" does but for its offset, which changes no share. */
  void pin(TableName table) throws Exception {
    long deadline = System.nanoTime() + 90_000_000_000L;
    for (boolean moved = true; moved;) {
      moved = false;
      int at = 0;
      for (var region : admin.getRegions(table)) {
        int wanted = at++ % servers.size();
        if (server(wanted).getRegion(region.getEncodedName()) == null) {
          moved = true;
          try {
            admin.move(region.getEncodedNameAsBytes(), servers.get(wanted));
          } catch (IOException again) {
            System.err.println("move: " + again);
          }
        }
      }
      if (moved && System.nanoTime() > deadline) {
        throw new IOException("regions of " + table + " don't stay where they are put");
      }
      Thread.sleep(200);
    }
  }

  /** One more server, without regions. */
  synchronized void addServer() throws Exception {
    servers.add(util.getMiniHBaseCluster().startRegionServerAndWait(30_000).getRegionServer().getServerName());
  }

  /** Moves the region that holds the row to the next server, while it may be written to. */
  void moveOn(TableName table, byte[] row) throws IOException {
    try (var locator = connection.getRegionLocator(table)) {
      var location = locator.getRegionLocation(row, true);
      int at = servers.indexOf(location.getServerName());
      admin.move(location.getRegion().getEncodedNameAsBytes(), servers.get((at + 1) % servers.size()));
    }
  }

  /** Ends the cluster within a minute, or leaves it behind. */
  @Override
  public void close() throws Exception {
    Thread end = new Thread(() -> {
      try {
        async.close();
        connection.close();
        util.shutdownMiniCluster();
      } catch (Exception error) {
        System.err.println("the cluster did not end well: " + error);
      }
    }, "end of the cluster");
    end.setDaemon(true);
    end.start();
    end.join(60_000);
  }
}
