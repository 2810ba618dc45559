package keyheat.hbase;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.regionserver.wal.AsyncProtobufLogWriter;
import org.apache.hbase.thirdparty.io.netty.channel.Channel;
import org.apache.hbase.thirdparty.io.netty.channel.EventLoopGroup;

/**
 * A writer of the write-ahead log whose syncs are acknowledged later, as by a pipeline of data nodes: it takes the next one while others are
 * on their way. Named by {@code hbase.regionserver.wal.async.writer.impl}.
 */
public final class SlowLog extends AsyncProtobufLogWriter {
  static volatile long delayNanos;

  private static final ScheduledExecutorService TIMER = Executors.newScheduledThreadPool(2, task -> {
    Thread thread = new Thread(task, "slow-log");
    thread.setDaemon(true);
    return thread;
  });

  public SlowLog(EventLoopGroup group, Class<? extends Channel> channel) {
    super(group, channel);
  }

  @Override
  public CompletableFuture<Long> sync(boolean forceSync) {
    CompletableFuture<Long> synced = super.sync(forceSync);
    long delay = delayNanos;
    if (delay <= 0) {
      return synced;
    }
    CompletableFuture<Long> late = new CompletableFuture<>();
    synced.whenComplete((length, error) -> TIMER.schedule(
        () -> error == null ? late.complete(length) : late.completeExceptionally(error), delay, TimeUnit.NANOSECONDS));
    return late;
  }
}
