package keyheat.hbase;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Holds the handler of each call of a table for a drawn time, so that a server's capacity is handlers / time and not that of
 * the machine's cores; and counts what each region is asked for.
 *
 * <p>The law is keyheat's: X x base + (rows - 1) x per-row time, X of mean 1 and drawn once a call. A put is held in {@code prePut},
 * which {@code HRegion.batchMutate} calls behind {@code startRegionOperation} and before it takes row locks and {@code updatesLock}: the
 * hold keeps the handler, and a split or move waiting, but no row and no flush.
 *
 * <p>The whole cluster is one JVM: what holds last is static.
 */
public final class HeldHandlers implements RegionCoprocessor, RegionObserver {
  /** How long calls are held, in nanoseconds; zero is not at all. */
  record Times(boolean exponential, long put, long writeRow, long get, long scan, long scanRow, double flushBytesPerSecond) {
    static final Times NONE = new Times(false, 0, 0, 0, 0, 0, 0);

    static Times of(Settings settings) {
      String law = settings.text("cluster.service.distribution");
      if (!law.equals("exponential") && !law.equals("constant")) {
        throw new IllegalArgumentException("no holds of the law " + law);
      }
      String service = "cluster.service.";
      return new Times(law.equals("exponential"), settings.nanos(service + "put"), settings.nanos(service + "write_row"),
          settings.nanos(service + "get"), settings.nanos(service + "scan"), settings.nanos(service + "scan_row"), 0);
    }

    Times withFlushes(double bytesPerSecond) {
      return new Times(exponential, put, writeRow, get, scan, scanRow, bytesPerSecond);
    }
  }

  /** What a region was asked for on one server. */
  static final class Asked {
    final String server;
    final String region;
    final byte[] start;
    final LongAdder puts = new LongAdder();
    /** Calls whose first row it got. */
    final LongAdder calls = new LongAdder();
    final LongAdder reads = new LongAdder();

    Asked(String server, RegionInfo region) {
      this.server = server;
      this.region = region.getEncodedName();
      this.start = region.getStartKey();
    }
  }

  static volatile Times times = Times.NONE;
  /** How many times slower a server is, by its name. */
  static final Map<String, Double> SLOW = new ConcurrentHashMap<>();
  /** By server and region. */
  static final Map<String, Asked> ASKED = new ConcurrentHashMap<>();
  /** A file that a flush wrote: when, of which family, and its length. */
  record Flushed(long nanos, String family, long bytes) {}

  static final Queue<Flushed> FLUSHED = new ConcurrentLinkedQueue<>();
  /** When regions that are to open elsewhere began to close, by their names; and how long they were offline. */
  private static final Map<String, Long> CLOSED = new ConcurrentHashMap<>();
  static final LongAdder OFFLINE_NANOS = new LongAdder();
  /** Regions that were opened. */
  static final LongAdder OPENED = new LongAdder();
  static final LongAdder PUT_CALLS = new LongAdder();
  static final LongAdder GET_CALLS = new LongAdder();
  static final LongAdder HELD_NANOS = new LongAdder();
  static final LongAdder DRAWN_NANOS = new LongAdder();
  /** What was drawn for the first row of each call that writes, and for each Get. */
  private static final LongAdder PUT_NANOS = new LongAdder();
  private static final LongAdder GET_NANOS = new LongAdder();

  /** A handler's thread: the call that it works on, and how much longer than drawn its last holds took, less than zero. */
  private static final class Handler {
    Object call;
    long debt;
  }

  private static final ThreadLocal<Handler> HANDLER = ThreadLocal.withInitial(Handler::new);
  /** Shorter holds are put together: waking up takes about as long. */
  private static final long LEAST_HOLD = 1_000_000L;
  /** What a pause of the whole JVM added is not taken off the next holds. */
  private static final long MOST_CREDIT = 2_000_000L;

  private String server = "";
  private Asked asked;

  /** Forgets all counts and holds nothing. */
  static void reset() {
    times = Times.NONE;
    SLOW.clear();
    ASKED.clear();
    FLUSHED.clear();
    for (LongAdder counter : List.of(OPENED, OFFLINE_NANOS, PUT_CALLS, GET_CALLS, HELD_NANOS, DRAWN_NANOS, PUT_NANOS, GET_NANOS)) {
      counter.reset();
    }
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void start(@SuppressWarnings("rawtypes") CoprocessorEnvironment environment) {
    if (environment instanceof RegionCoprocessorEnvironment region) {
      server = region.getServerName().toString();
      OPENED.increment();
      RegionInfo info = region.getRegionInfo();
      asked = ASKED.computeIfAbsent(server + " " + info.getEncodedName(), name -> new Asked(server, info));
    }
  }

  private static boolean isNewCall(Handler handler) {
    RpcCall call = RpcServer.getCurrentCall().orElse(null);
    boolean isNew = call == null || call != handler.call;
    handler.call = call;
    return isNew;
  }

  private static long draw(long base) {
    return times.exponential() ? (long) (-Math.log(1.0 - ThreadLocalRandom.current().nextDouble()) * base) : base;
  }

  /** How long handlers were held over what was drawn; 1 if none was. */
  static double heldOverDrawn() {
    double drawn = DRAWN_NANOS.sum();
    return drawn == 0 ? 1 : HELD_NANOS.sum() / drawn;
  }

  /** The means of the draws: chance makes other ones of a few thousand calls than the scenario has. */
  static String meansDrawn() {
    double puts = Math.max(1, PUT_CALLS.sum());
    double gets = Math.max(1, GET_CALLS.sum());
    return "%.2f ms a put and %.2f ms a Get".formatted(PUT_NANOS.sum() / puts / 1e6, GET_NANOS.sum() / gets / 1e6);
  }

  private void hold(Handler handler, long nanos) {
    if (nanos <= 0) {
      return;
    }
    long wanted = (long) (nanos * SLOW.getOrDefault(server, 1.0));
    DRAWN_NANOS.add(wanted);
    handler.debt += wanted;
    if (handler.debt < LEAST_HOLD) {
      return;
    }
    long start = System.nanoTime();
    park(start + handler.debt);
    long held = System.nanoTime() - start;
    HELD_NANOS.add(held);
    handler.debt = Math.max(handler.debt - held, -MOST_CREDIT);
  }

  private static void park(long until) {
    for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  private void write() {
    Handler handler = HANDLER.get();
    boolean first = isNewCall(handler);
    long nanos = first ? draw(times.put()) : times.writeRow();
    asked.puts.increment();
    if (first) {
      PUT_CALLS.increment();
      PUT_NANOS.add(nanos);
      asked.calls.increment();
    }
    hold(handler, nanos);
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit, Durability durability) {
    write();
  }

  @Override
  public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment) {
    write();
    return null;
  }

  @Override
  public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
    Handler handler = HANDLER.get();
    asked.reads.increment();
    if (isNewCall(handler)) {
      GET_CALLS.increment();
    }
    long nanos = draw(times.get());
    GET_NANOS.add(nanos);
    hold(handler, nanos);
  }

  @Override
  public RegionScanner postScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
    asked.reads.increment();
    return scanner;
  }

  @Override
  public boolean preScannerNext(ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner, List<Result> results,
      int limit, boolean hasNext) {
    long rows = Math.max(0, Math.min(limit, 1000) - 1);
    hold(HANDLER.get(), draw(times.scan()) + rows * times.scanRow());
    return hasNext;
  }

  @Override
  public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean isAborted) {
    CLOSED.put(asked.region, System.nanoTime());
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    Long closed = CLOSED.remove(asked.region);
    if (closed != null) {
      OFFLINE_NANOS.add(System.nanoTime() - closed);
    }
  }

  @Override
  public void postFlush(ObserverContext<RegionCoprocessorEnvironment> context, Store store, StoreFile file, FlushLifeCycleTracker tracker)
      throws IOException {
    FLUSHED.add(new Flushed(System.nanoTime(), store.getColumnFamilyName(), ((HStoreFile) file).getReader().length()));
  }

  /** Behind the snapshot of the memstore, under no lock. */
  @Override
  public void preFlushScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options,
      FlushLifeCycleTracker tracker) throws IOException {
    double speed = times.flushBytesPerSecond();
    if (speed > 0) {
      park(System.nanoTime() + (long) (store.getSnapshotSize().getDataSize() / speed * 1e9));
    }
  }
}
