package keyheat.hbase;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Replays the operations of a scenario in real time, and measures what keyheat predicts, under the same names. */
final class Load {
  /** What became of the operations of a kind whose intended start lies in the window. */
  private static final class Side {
    final ConcurrentHistogram micros = new ConcurrentHistogram(3_600_000_000L, 3);
    final LongAdder offered = new LongAdder();
    final LongAdder failed = new LongAdder();
    /** Completed in the window, whenever intended. */
    final LongAdder completed = new LongAdder();
    /** Started in the window and not over yet: when they were meant to start. */
    final Set<Long> open = ConcurrentHashMap.newKeySet();
  }

  /** What a write puts into its row. */
  private record Cells(byte[] family, List<byte[]> qualifiers, byte[] value) {
    Put put(byte[] row) {
      Put put = new Put(row);
      qualifiers.forEach(qualifier -> put.addColumn(family, qualifier, value));
      return put;
    }
  }

  private final Cluster cluster;
  private final Exported export;
  private final Settings settings;
  private final TableName table;
  private final Cells cells;
  private final Side writes = new Side();
  private final Side reads = new Side();
  /** By samples of the whole run: what was meant to start then, and what ended. */
  private final LongAdder[] offeredBySample;
  private final LongAdder[] completedBySample;
  private final AtomicLong balanced = new AtomicLong();
  private final AtomicLong inFlight = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private long start;
  private long warm;
  private long end;

  Load(Cluster cluster, Exported export, TableName table) {
    this.cluster = cluster;
    this.export = export;
    this.table = table;
    settings = export.settings;
    cells = cells(settings.families().get(0));
    int samples = (int) Math.round(settings.seconds("time.duration") / settings.seconds("time.sample"));
    offeredBySample = new LongAdder[samples];
    completedBySample = new LongAdder[samples];
    Arrays.setAll(offeredBySample, at -> new LongAdder());
    Arrays.setAll(completedBySample, at -> new LongAdder());
  }

  private Cells cells(String family) {
    List<byte[]> qualifiers = new ArrayList<>();
    settings.find("table.qualifiers").getAsJsonArray().forEach(name -> qualifiers.add(Bytes.toBytes(name.getAsString())));
    String path = "family." + family + ".value";
    byte[] value = new byte[(int) settings.bytes(settings.has(path) ? path : "table.value")];
    new java.util.Random(1).nextBytes(value);
    return new Cells(Bytes.toBytes(family), qualifiers, value);
  }

  private Cells cellsOf(String write) {
    String path = "write." + write + ".family";
    return settings.has(path) ? cells(settings.text(path)) : cells;
  }

  Put put(byte[] row) {
    return cells.put(row);
  }

  /** Writes rows as fast as it goes. */
  void fill(List<byte[]> rows) throws IOException {
    try (BufferedMutator writer = cluster.connection.getBufferedMutator(table)) {
      for (byte[] row : rows) {
        writer.mutate(put(row));
      }
    }
  }

  static void parkUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Replays everything, and says what was measured, unless nobody listens. */
  void run(Measured out) throws Exception {
    fill(export.existing.stream().map(Exported.Existing::key).toList());
    cluster.admin.flush(table);
    long disk = settings.bytes("cluster.disk_bandwidth");
    HeldHandlers.times = HeldHandlers.Times.of(settings).withFlushes(disk <= MOST_HELD_DISK ? disk : 0);
    double refusedBefore = refusedCalls();
    long sync = settings.nanos("cluster.wal.sync");
    SlowLog.delayNanos = sync >= LEAST_DELAYED_SYNC ? sync : 0;
    start = System.nanoTime() + 200_000_000L;
    warm = start + settings.nanos("time.warmup");
    end = start + settings.nanos("time.duration");
    export.writes.forEach(this::startWrite);
    export.reads.forEach(this::startRead);
    startEvents();
    startBalancer();
    HeldHandlers.OPENED.reset();
    HeldHandlers.OFFLINE_NANOS.reset();
    HeldHandlers.FLUSHED.clear();
    int regionsBefore = cluster.placement(table).size();
    threads.forEach(Thread::start);
    parkUntil(warm);
    Map<String, long[]> before = asked();
    long began = System.nanoTime();
    parkUntil(end);
    Map<String, long[]> after = asked();
    double seconds = (System.nanoTime() - began) / 1e9;
    double p999 = percentileWithOpen(0.999);
    int splits = cluster.placement(table).size() - regionsBefore;
    long moves = HeldHandlers.OPENED.sum() - 2L * splits;
    for (Thread thread : threads) {
      // Clients that are refused may pause for another minute.
      thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000 + 60_000));
    }
    for (int i = 0; i < 300 && inFlight.get() > 0; i++) {
      Thread.sleep(100);
    }
    cluster.admin.balancerSwitch(false, true);
    if (out != null) {
      say(out, before, after, seconds);
      if (settings.balances()) {
        System.err.printf("%s: a region that moved was offline for %.0f ms%n", export.id(), HeldHandlers.OFFLINE_NANOS.sum() / 1e6 / Math.max(1, moves));
        out.say(export, "splits", Measured.Kind.SPLITS, splits);
        out.say(export, "moves", Measured.Kind.SPLITS, moves);
      }
      if (hasTail()) {
        out.say(export, "write_response_ms.p999", Measured.Kind.P999, p999);
      }
      if (settings.names("write").stream().anyMatch(name -> settings.has("write." + name + ".profile"))) {
        sayBacklog(out);
      }
      if (!settings.text("cluster.call_queue_length").equals("unlimited")) {
        // The counters that others can read lag by up to ten seconds; over the whole run, so that it does not matter.
        Thread.sleep(13_000);
        double refused = refusedCalls() - refusedBefore;
        out.say(export, "refused_calls_fraction", Measured.Kind.FAILED, refused / (refused + HeldHandlers.PUT_CALLS.sum()));
      }
    }
    SlowLog.delayNanos = 0;
    HeldHandlers.times = HeldHandlers.Times.NONE;
  }

  /** Whether few operations take far longer than all others: refused calls, and those of regions that move. */
  private boolean hasTail() {
    return settings.balances() || !settings.text("cluster.call_queue_length").equals("unlimited");
  }

  /** Of the writes of the window, in milliseconds: what is not over counts with its age. */
  private double percentileWithOpen(double percentile) {
    long now = System.nanoTime();
    ConcurrentHistogram all = writes.micros.copy();
    writes.open.forEach(intended -> all.recordValue(Math.max(0, now - intended) / 1000));
    return all.getValueAtPercentile(percentile * 100) / 1000.0;
  }

  /** The greatest number of operations that waited at the end of a sample, and how long after that a twentieth of it was left for good. */
  private void sayBacklog(Measured out) {
    long[] backlog = new long[offeredBySample.length];
    long waiting = 0;
    int greatest = 0;
    for (int i = 0; i < backlog.length; i++) {
      waiting += offeredBySample[i].sum() - completedBySample[i].sum();
      backlog[i] = waiting;
      greatest = backlog[i] > backlog[greatest] ? i : greatest;
    }
    int last = backlog.length - 1;
    while (last > greatest && backlog[last] <= backlog[greatest] / 20) {
      last--;
    }
    out.say(export, "backlog_max", Measured.Kind.MEAN, (double) backlog[greatest]);
    out.say(export, "recovery_s", Measured.Kind.MEAN, (last + 1 - greatest) * settings.seconds("time.sample"));
  }

  private void startBalancer() throws IOException {
    if (!settings.balances()) {
      return;
    }
    cluster.admin.balancerSwitch(true, true);
    long period = settings.nanos("balancer.period");
    thread("balancer", () -> {
      for (long at = start + period; at < end; at += period) {
        parkUntil(at);
        try {
          balanced.incrementAndGet();
          cluster.admin.balance();
        } catch (IOException error) {
          System.err.println("balance: " + error);
        }
      }
    });
  }

  /** A log that is slower than a local disk is one whose syncs are held up. */
  private static final long LEAST_DELAYED_SYNC = 5_000_000L;

  /** A disk that is slower is one whose flushes are held up. */
  private static final long MOST_HELD_DISK = 10_000_000L;

  /** Calls that servers refused because a queue was full, all of this JVM's so far. */
  private static double refusedCalls() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double sum = 0;
    for (ObjectName name : beans.queryNames(new ObjectName("Hadoop:service=HBase,*"), null)) {
      String sub = name.getKeyProperty("sub");
      if (sub != null && sub.startsWith("IPC") && String.valueOf(name.getKeyProperty("name")).startsWith("RegionServer")) {
        sum += ((Number) beans.getAttribute(name, "exceptions.callQueueTooBig")).doubleValue();
      }
    }
    return sum;
  }

  /** The puts and reads that each region got so far, by server and start key. */
  private static Map<String, long[]> asked() {
    Map<String, long[]> counts = new HashMap<>();
    HeldHandlers.ASKED.forEach((name, asked) -> counts.put(name, new long[] {asked.puts.sum(), asked.reads.sum()}));
    return counts;
  }

  /** How often the balancer was called. */
  long balanced() {
    return balanced.get();
  }

  /** When the replay began, and when it ended. */
  long start() {
    return start;
  }

  long end() {
    return end;
  }

  private void say(Measured out, Map<String, long[]> before, Map<String, long[]> after, double seconds) {
    double held = HeldHandlers.heldOverDrawn();
    System.err.printf("%s: holds lasted %.4f of what was drawn, load average %.2f%n", export.id(), held,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    TreeMap<String, long[]> servers = new TreeMap<>();
    HeldHandlers.ASKED.values().forEach(asked -> {
      long[] sums = servers.computeIfAbsent(asked.server, name -> new long[2]);
      sums[0] += asked.puts.sum();
      sums[1] += asked.calls.sum();
    });
    System.err.println(export.id() + ": rows a call, by server: "
        + servers.values().stream().map(sums -> "%.2f".formatted((double) sums[0] / Math.max(1, sums[1]))).toList());
    boolean buffered = settings.names("write").stream().anyMatch(name -> settings.has("write." + name + ".buffer"));
    if (buffered || writes.offered.sum() >= LEAST_OPERATIONS) {
      say(out, "write", writes, seconds);
      sayShares(out, "", 0, before, after);
    }
    if (reads.offered.sum() >= LEAST_OPERATIONS) {
      say(out, "read", reads, seconds);
      sayShares(out, "read_", 1, before, after);
    }
  }

  /** What fewer do says nothing. */
  private static final long LEAST_OPERATIONS = 500;

  private void say(Measured out, String side, Side of, double seconds) {
    out.say(export, side + "_throughput_per_sec", Measured.Kind.THROUGHPUT, of.completed.sum() / seconds);
    if (of.failed.sum() > 0 || settings.integer("client.retries") == 0) {
      out.say(export, side + "_failed_fraction", Measured.Kind.FAILED, (double) of.failed.sum() / of.offered.sum());
    }
    // HBase's own work of about half a millisecond is in no prediction.
    boolean takesItsTime = settings.nanos("cluster.service.put") >= LEAST_DELAYED_SYNC || SlowLog.delayNanos > 0;
    if (takesItsTime && of.micros.getTotalCount() > 0) {
      String response = side + "_response_ms.";
      out.say(export, response + "mean", Measured.Kind.MEAN, of.micros.getMean() / 1000);
      out.say(export, response + "p50", Measured.Kind.MEAN, of.micros.getValueAtPercentile(50) / 1000.0);
      out.say(export, response + "p90", Measured.Kind.P90, of.micros.getValueAtPercentile(90) / 1000.0);
      out.say(export, response + "p99", Measured.Kind.P99, of.micros.getValueAtPercentile(99) / 1000.0);
    }
  }

  private void sayShares(Measured out, String prefix, int which, Map<String, long[]> before, Map<String, long[]> after) {
    Map<String, Long> servers = new HashMap<>();
    Map<String, Long> regions = new HashMap<>();
    long sum = 0;
    for (Map.Entry<String, long[]> entry : after.entrySet()) {
      HeldHandlers.Asked asked = HeldHandlers.ASKED.get(entry.getKey());
      long count = entry.getValue()[which] - before.getOrDefault(entry.getKey(), new long[2])[which];
      servers.merge(asked.server, count, Long::sum);
      regions.merge(asked.region, count, Long::sum);
      sum += count;
    }
    double all = Math.max(1, sum);
    out.say(export, prefix + "server_max_share_overall", Measured.Kind.SHARE, servers.values().stream().max(Long::compare).orElse(0L) / all);
    out.say(export, prefix + "region_max_share_overall", Measured.Kind.SHARE, regions.values().stream().max(Long::compare).orElse(0L) / all);
  }

  private void thread(String name, Runnable work) {
    Thread thread = new Thread(null, work, name, 256 << 10);
    thread.setDaemon(true);
    threads.add(thread);
  }

  /** An operation that is intended now or was then is sent; those that begin at the same nanosecond are too few to matter. */
  private void began(Side side, long intended) {
    count(offeredBySample, intended);
    if (intended >= warm && intended < end) {
      side.open.add(intended);
    }
  }

  private void count(LongAdder[] samples, long nanos) {
    int at = (int) ((nanos - start) / settings.nanos("time.sample"));
    if (at >= 0 && at < samples.length) {
      samples[at].increment();
    }
  }

  /** An operation that was intended then has ended now; an error is a failed one. */
  private void ended(Side side, long intended, Throwable error) {
    long now = System.nanoTime();
    side.open.remove(intended);
    count(completedBySample, now);
    if (error == null && now >= warm && now < end) {
      side.completed.increment();
    }
    if (intended < warm || intended >= end) {
      return;
    }
    side.offered.increment();
    if (error == null) {
      side.micros.recordValue(Math.max(0, now - intended) / 1000);
    } else {
      side.failed.increment();
    }
  }

  private void startWrite(String name, List<Exported.Write> operations) {
    String path = "write." + name;
    if (!settings.has(path + ".clients")) {
      Cells cells = cellsOf(name);
      openLoop(name, operations.size(), at -> operations.get(at).at(), write -> asyncTable().put(cells.put(write.key())), operations);
      return;
    }
    boolean buffered = settings.has(path + ".buffer");
    boolean increments = settings.text(path + ".kind").equals("increment");
    int clients = settings.integer(path + ".clients");
    for (int c = 0; c < clients; c++) {
      int client = c;
      thread(name + "-" + c, () -> {
        try {
          if (buffered) {
            buffered(operations, client, clients, settings.bytes(path + ".buffer"));
          } else {
            closedLoop(operations, client, clients, increments);
          }
        } catch (IOException error) {
          throw new java.io.UncheckedIOException(error);
        }
      });
    }
  }

  /** A client's next row; from the beginning again when the export was too short. */
  private static byte[] row(List<Exported.Write> operations, int client, int clients, long k) {
    return operations.get((int) ((k * clients + client) % operations.size())).key();
  }

  private void closedLoop(List<Exported.Write> operations, int client, int clients, boolean increments) throws IOException {
    try (Table own = cluster.connection.getTable(table)) {
      parkUntil(start);
      for (long k = 0;; k++) {
        long from = System.nanoTime();
        if (from >= end) {
          return;
        }
        byte[] row = row(operations, client, clients, k);
        began(writes, from);
        IOException failure = null;
        try {
          if (increments) {
            own.increment(new Increment(row).addColumn(cells.family(), cells.qualifiers().get(0), 1));
          } else {
            own.put(put(row));
          }
        } catch (IOException error) {
          failure = error;
        }
        ended(writes, from, failure);
      }
    }
  }

  /** Rows count when they arrive at their region: what a writer has buffered is not written. */
  private void buffered(List<Exported.Write> operations, int client, int clients, long bytes) throws IOException {
    try (BufferedMutator writer = cluster.connection.getBufferedMutator(new BufferedMutatorParams(table).writeBufferSize(bytes))) {
      parkUntil(start);
      long heap = 0;
      long rows = 0;
      for (long k = 0; System.nanoTime() < end; k++) {
        Put put = put(row(operations, client, clients, k));
        heap += put.heapSize();
        rows++;
        writer.mutate(put);
        if (heap > bytes) {
          // The mutator has flushed itself.
          long now = System.nanoTime();
          if (now >= warm && now < end) {
            writes.completed.add(rows);
          }
          heap = 0;
          rows = 0;
        }
      }
    }
  }

  private interface Times {
    double at(int operation);
  }

  private interface Send<T> {
    CompletableFuture<?> of(T operation);
  }

  /** Operations that start at their times, whatever becomes of the others. */
  private <T> void openLoop(String name, int count, Times times, Send<T> send, List<T> operations) {
    Side side = operations.get(0) instanceof Exported.Write ? writes : reads;
    thread(name, () -> {
      for (int i = 0; i < count; i++) {
        long intended = start + (long) (times.at(i) * 1e9);
        if (intended >= end) {
          return;
        }
        parkUntil(intended);
        began(side, intended);
        inFlight.incrementAndGet();
        send.of(operations.get(i)).whenComplete((done, error) -> {
          inFlight.decrementAndGet();
          ended(side, intended, error);
        });
      }
    });
  }

  private AsyncTable<AdvancedScanResultConsumer> asyncTable() {
    return cluster.async.getTableBuilder(table).setMaxAttempts(settings.integer("client.retries") + 1).build();
  }

  private void startRead(String name, List<Exported.Read> operations) {
    int limit = settings.has("read." + name + ".newest.rows") ? settings.integer("read." + name + ".newest.rows") : 0;
    Send<Exported.Read> send = read -> send(read, limit);
    if (!settings.has("read." + name + ".clients")) {
      openLoop(name, operations.size(), at -> operations.get(at).at(), send, operations);
      return;
    }
    int clients = settings.integer("read." + name + ".clients");
    for (int c = 0; c < clients; c++) {
      int client = c;
      thread(name + "-" + c, () -> {
        parkUntil(start);
        for (long k = 0; System.nanoTime() < end; k++) {
          long from = System.nanoTime();
          began(reads, from);
          CompletableFuture<?> read = send.of(operations.get((int) ((k * clients + client) % operations.size())));
          Throwable failure = read.handle((done, error) -> error).join();
          ended(reads, from, failure);
        }
      });
    }
  }

  static Scan scan(Exported.Range range, int limit) {
    // From the stop key down a range is read from its last row on.
    Scan scan = range.reversed()
        ? new Scan().setReversed(true).withStartRow(range.stop(), false).withStopRow(range.start(), true)
        : new Scan().withStartRow(range.start()).withStopRow(range.stop());
    return limit > 0 ? scan.setLimit(limit).setCaching(limit) : scan;
  }

  /** All parts of a read at once. */
  private CompletableFuture<?> send(Exported.Read read, int limit) {
    List<CompletableFuture<?>> parts = new ArrayList<>();
    AsyncTable<AdvancedScanResultConsumer> client = asyncTable();
    if (!read.gets().isEmpty()) {
      parts.add(client.getAll(read.gets().stream().map(Get::new).toList()));
    }
    read.scans().forEach(range -> parts.add(client.scanAll(scan(range, limit))));
    return CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]));
  }

  /** What happens to the cluster: servers slow down for a while, and join. */
  private void startEvents() {
    if (!settings.has("event")) {
      return;
    }
    settings.find("event").getAsJsonArray().forEach(element -> {
      var event = element.getAsJsonObject();
      long at = start + (long) (Settings.seconds(event.get("at")) * 1e9);
      if (event.has("add_servers")) {
        thread("new server", () -> {
          parkUntil(at);
          for (int i = 0; i < event.get("add_servers").getAsInt(); i++) {
            try {
              cluster.addServer();
            } catch (Exception error) {
              System.err.println("add_servers: " + error);
            }
          }
        });
        return;
      }
      var slow = event.getAsJsonObject("slow");
      if (slow == null) {
        throw new IllegalArgumentException("an event that is not replayed: " + event);
      }
      String server = cluster.servers.get(slow.get("server").getAsInt()).toString();
      long until = at + (long) (Settings.seconds(slow.get("for")) * 1e9);
      thread("slow server", () -> {
        parkUntil(at);
        HeldHandlers.SLOW.put(server, slow.get("times").getAsDouble());
        parkUntil(until);
        HeldHandlers.SLOW.remove(server);
      });
    });
  }
}
