# keyheat replay: the operations of a scenario on a real HBase (2.0 or later), through the classes of its own shell.
#
#     hbase shell -n THIS_FILE > measured.txt
#     keyheat calibrate SCENARIO --measured measured.txt
#
# It creates a table with the scenario's split points, replays the operations at their times or with as many clients, and writes one line of
# JSON: requests by region, response times from the intended starts. Then it drops the table, whatever happened before, and nothing else: the
# table carries a mark of this very run. A table that exists is refused, unless the environment says KEYHEAT_TABLE=name: that one is written
# to, and kept. Ctrl-C ends it early, in order. Settings and operations stand behind the program.
#
# Exit codes: 0 all was replayed; 1 it was cut short; 2 refused, nothing was done; 3 no HBase answers; 130 Ctrl-C.

# The shell reads files statement by statement and echoes them; Ruby itself takes this one at once.
unless $keyheat_replay
  $keyheat_words = [ENV['KEYHEAT_SCRIPT'], __FILE__, *ARGV, *java.lang.System.getProperty('sun.java.command').to_s.split].compact
  $keyheat_replay = $keyheat_words.find { |it| File.file?(it) && File.foreach(it).first.to_s.start_with?('# keyheat replay') }
  abort 'keyheat: where does this script lie? Say KEYHEAT_SCRIPT=FILE' unless $keyheat_replay
  $keyheat_hbase = @hbase
  load $keyheat_replay
end

require 'json'

module KeyheatReplay
  HBase = Java::OrgApacheHadoopHbase
  Client = Java::OrgApacheHadoopHbaseClient
  Future = java.util.concurrent.CompletableFuture
  ORIGIN = java.lang.System.nanoTime - 1_000_000_000
  UNSENT = 0
  PENDING = -1
  FAILED = -2
  MARK = 'keyheat.replay'.freeze

  class Refused < StandardError
    attr_reader :code

    def initialize(code, message)
      @code = code
      super(message)
    end
  end

  # One write or read of the workload: its operations in order, with the moments at which they were meant to start, were sent, and ended.
  Stream = Struct.new(:kind, :settings, :operations, :intended, :sent, :ended) do
    def sent_off(at, intended)
      self.intended[at] = intended
      sent[at] = KeyheatReplay.now
    end

    def ends_with(future, at)
      future.whenComplete { |_, error| ended[at] = error.nil? ? KeyheatReplay.now : FAILED }
    end

    def unanswered?
      sent.size.times.any? { |at| sent[at] != UNSENT && ended[at] == PENDING }
    end

    # Open loops have as many operations as they have; how many clients make is seen afterwards.
    def asked(duration)
      settings['clients'] ? count_sent : operations.count { |at, _| at < duration }
    end

    def count_sent
      sent.count { |at| at != UNSENT }
    end
  end

  module_function

  def now
    java.lang.System.nanoTime - ORIGIN
  end

  def say(text)
    $stderr.puts "keyheat: #{text}"
  end

  def stop?
    @interrupted
  end

  def wait_until(moment)
    until (left = moment - now) <= 0 || stop?
      java.util.concurrent.locks.LockSupport.parkNanos([left, 50_000_000].min)
    end
  end

  def bytes(hex)
    [hex == '-' ? '' : hex].pack('H*').to_java_bytes
  end

  # The lines behind the program: `e WRITE KEY... =BYTES...` exists, `w WRITE AT KEY... =BYTES...` and `r READ AT TABLE PART...` in order, then the
  # settings. There is a key for each table, and bytes for each qualifier and value that the settings of the write leave open; a part is `KEY`, or
  # `START:STOP:+`, or `:-` for a scan down. The empty key is `-`.
  def read(file)
    lines = File.readlines(file).drop_while { |line| line != "__END__\n" }.drop(1)
    @settings = JSON.parse(lines.pop)
    @existing = []
    @streams = %w[writes reads].flat_map { |kind| @settings[kind].map { |it| Stream.new(kind, it, []) } }
    lines.each do |line|
      kind, number, *words = line.split
      next @existing << [@streams[number.to_i].settings, *keys_and_parts(words)] if kind == 'e'

      at, *asked = words
      stream = @streams[number.to_i + (kind == 'r' ? @settings['writes'].size : 0)]
      asked = kind == 'w' ? keys_and_parts(asked) : [asked[0].to_i, asked.drop(1)]
      stream.operations << [(at.to_f * 1e9).to_i, asked]
    end
    @settings['writes'].each { |write| read_cells(write) }
    @streams.each do |stream|
      stream.intended, stream.sent, stream.ended = Array.new(3) { Java::long[stream.operations.size].new }
      java.util.Arrays.fill(stream.ended, PENDING)
    end
  end

  def keys_and_parts(words)
    words.partition { |it| !it.start_with?('=') }.map { |part| part.map { |it| bytes(it.delete('=')) } }
  end

  # The names and values of its cells; nothing in place of those that each operation says for itself.
  def read_cells(write)
    write['family'] = write['family'].to_java_bytes
    write['cells'].map! do |cell|
      name, size = cell.values_at('qualifier_hex', 'bytes')
      [name && bytes(name), size && Java::byte[size].new.tap { |value| java.util.Random.new(1).nextBytes(value) }]
    end
  end

  def configuration(changes)
    conf = HBase::HBaseConfiguration.create($keyheat_hbase ? $keyheat_hbase.configuration : HBase::HBaseConfiguration.create)
    changes.each { |name, value| conf.set(name, value.to_s) }
    conf
  end

  # Nobody wants to wait for minutes to hear that there is no cluster.
  def connect
    conf = configuration('hbase.client.retries.number' => 3, 'hbase.client.pause' => 100, 'zookeeper.recovery.retry' => 2,
                         'hbase.rpc.timeout' => 10_000, 'hbase.client.operation.timeout' => 60_000)
    place = "#{conf.get('hbase.zookeeper.quorum')}:#{conf.get('hbase.zookeeper.property.clientPort')}"
    answer = java.util.concurrent.FutureTask.new do
      @connection = Client::ConnectionFactory.createConnection(conf)
      @admin = @connection.getAdmin
      live_servers
    end
    java.lang.Thread.new(answer).tap { |it| it.setDaemon(true) }.start
    servers = answer.get(30, java.util.concurrent.TimeUnit::SECONDS)
    raise 'no region server is there' if servers.empty?

    @async = Client::ConnectionFactory.createAsyncConnection(configuration(@settings['client'])).get
  rescue StandardError, java.lang.Throwable => error
    why = error.to_s.lines.first.to_s.strip[0, 200]
    raise Refused.new(3, "no HBase answers at #{place} within 30 s (#{why})\n" \
                         'start it, or say where it is: `hbase shell -Dhbase.zookeeper.quorum=HOST -n FILE`, or HBASE_CONF_DIR')
  end

  def live_servers
    live = java.util.EnumSet.of(HBase::ClusterMetrics::Option::LIVE_SERVERS)
    @admin.getClusterMetrics(live).getLiveServerMetrics.keySet.to_a
  end

  def create_tables
    @created = []
    @tag = java.util.UUID.randomUUID.toString
    named = ENV['KEYHEAT_TABLE'].to_s
    @names = @settings['tables'].map { |it| HBase::TableName.valueOf(it['name']) }
    unless named.empty?
      raise Refused.new(2, 'KEYHEAT_TABLE names one table, and this strategy has copies') if @names.size > 1

      @names = [HBase::TableName.valueOf(named)]
      return if @admin.tableExists(@names[0])

      raise Refused.new(2, "KEYHEAT_TABLE names `#{named}`, and there is no such table\nwithout KEYHEAT_TABLE one is created, and dropped again")
    end
    @names.each do |name|
      next unless @admin.tableExists(name)

      raise Refused.new(2, "the table `#{name.getNameAsString}` exists already, and it is none of mine\n" \
                           "export with another `--table NAME`, or say KEYHEAT_TABLE=#{name.getNameAsString} to write to it; it is kept then")
    end
    @names.zip(@settings['tables']) { |name, table| create(name, table['splits_hex'].map { |it| bytes(it) }) }
  end

  def create(name, points)
    builder = Client::TableDescriptorBuilder.newBuilder(name).setValue(MARK, @tag)
    @settings['families'].each do |family|
      column = Client::ColumnFamilyDescriptorBuilder.newBuilder(family['name'].to_java_bytes)
      family['attributes'].each { |key, value| column.setValue(key, value.to_s) }
      builder.setColumnFamily(column.build)
    end
    @settings['attributes'].each { |key, value| builder.setValue(key, value.to_s) }
    @created << name
    if points.empty?
      @admin.createTable(builder.build)
    else
      @admin.createTable(builder.build, points.to_java(Java::byte[]))
    end
  end

  # Only what bears the mark of this run: somebody else may have created a table of that name meanwhile.
  def drop_tables
    @created.to_a.each do |name|
      next unless @admin.tableExists(name) && @admin.getDescriptor(name).getValue(MARK) == @tag

      @admin.disableTable(name) if @admin.isTableEnabled(name)
      @admin.deleteTable(name)
      say "dropped `#{name.getNameAsString}`"
    end
    @created = []
  end

  # Requests of each region since it was opened, from the servers themselves.
  def counts
    live_servers.each_with_object({}) do |server, found|
      @names.each do |name|
        @admin.getRegionMetrics(server, name).each do |region|
          found[region.getNameAsString] = [server.getServerName, region.getReadRequestCount, region.getWriteRequestCount]
        end
      end
    end
  end

  # A write to a row, with the parts of its cells that it says for itself. A delete of a cell without a name is one of the family.
  def mutation(write, row, parts, kind = write['kind'])
    family = write['family']
    open = parts.dup
    cells = write['cells'].map { |name, value| [name || open.shift, value || open.shift] }
    name, value = cells[0]
    case kind
    when 'increment' then Client::Increment.new(row).addColumn(family, name, 1)
    when 'append' then Client::Append.new(row).addColumn(family, name, value)
    when 'delete' then Client::Delete.new(row).tap { |it| name.length.zero? ? it.addFamily(family) : it.addColumns(family, name) }
    else cells.each_with_object(Client::Put.new(row)) { |(column, bytes), put| put.addColumn(family, column, bytes) }
    end
  end

  def table(at)
    @tables[at]
  end

  def all(futures)
    futures.size == 1 ? futures[0] : Future.allOf(futures.to_java(Future))
  end

  # A write goes to the table and its copies, a read's parts to their regions, all at once.
  def send_one(stream, operation)
    from, parts = operation[1]
    if stream.kind == 'writes'
      write = stream.settings
      return all(from.each_with_index.map { |row, at| table(at).public_send(write['kind'], mutation(write, row, parts)) })
    end
    scans, gets = parts.partition { |it| it.include?(':') }
    futures = scans.map { |it| table(from).scanAll(scan(*it.split(':'), stream.settings['limit'])) }
    futures << table(from).getAll(gets.map { |it| Client::Get.new(bytes(it)) }) unless gets.empty?
    all(futures)
  end

  def scan(start, stop, direction, limit)
    first, last = direction == '-' ? [stop, start] : [start, stop]
    scan = Client::Scan.new.setReversed(direction == '-')
    scan.withStartRow(bytes(first), direction == '+').withStopRow(bytes(last), direction == '-')
    limit ? scan.setLimit(limit).setCaching(limit) : scan
  end

  # Operations that start at their times, whatever becomes of the others.
  def open_loop(stream)
    stream.operations.each_with_index do |operation, at|
      intended = @start + operation[0]
      break if intended >= @end

      wait_until(intended)
      break if stop?

      stream.sent_off(at, intended)
      stream.ends_with(send_one(stream, operation), at)
    end
  end

  # A client that waits for each of its operations, or for its full buffer.
  def closed_loop(stream, client)
    buffer = stream.settings['buffer']
    waiting = []
    heap = 0
    wait_until(@start)
    (client...stream.operations.size).step(stream.settings['clients']) do |at|
      break if now >= @end || stop?

      think(stream.settings)
      operation = stream.operations[at]
      stream.sent_off(at, now)
      if buffer
        keys, parts = operation[1]
        waiting << [at, mutation(stream.settings, keys[0], parts)]
        heap += waiting.last[1].heapSize
        next if heap <= buffer

        done = table(0).putAll(waiting.map(&:last))
        waiting.each { |index, _| stream.ends_with(done, index) }
        waiting = []
        heap = 0
      else
        done = stream.ends_with(send_one(stream, operation), at)
      end
      begin
        done.get
      rescue java.lang.Exception, StandardError
        next
      end
    end
    waiting.each { |index, _| stream.sent[index] = UNSENT }
    # The first client without an operation ends the run: the others would meet fewer than there are clients.
    @end = [@end, now].min
  end

  def think(settings)
    mean = settings['think_ms'].to_f
    return if mean <= 0

    mean *= -Math.log(1.0 - rand) if settings['think_exponential']
    wait_until(now + (mean * 1e6).to_i)
  end

  def fill
    @tables = @names.map { |name| @async.getTable(name) }
    @names.each_index do |at|
      @existing.each_slice(500) do |rows|
        kind = ->(write) { write['kind'] == 'increment' ? 'increment' : 'put' }
        table(at).batchAll(rows.map { |write, keys, parts| mutation(write, keys[at], parts, kind[write]) }).get
      end
    end
    return if @existing.empty?

    @names.each { |name| @admin.flush(name) }
  end

  def replay
    fill
    @start = now + 500_000_000
    @end = @start + (@settings['duration_s'] * 1e9).to_i
    warm = @start + (@settings['warmup_s'] * 1e9).to_i
    threads = @streams.flat_map do |stream|
      clients = stream.settings['clients']
      clients ? Array.new(clients) { |client| thread { closed_loop(stream, client) } } : [thread { open_loop(stream) }]
    end
    say "replaying for #{@settings['duration_s']} s; Ctrl-C ends it"
    wait_until(warm)
    before = counts
    began = now
    wait_until([@end, now + 100_000_000].min) until now >= @end || stop?
    after = counts
    # What was sent may still be answered.
    last = now + 60_000_000_000
    threads.each { |thread| thread.join([(last - now) / 1e9, 0.1].max) }
    sleep 0.05 while now < last && !@interrupted && @streams.any?(&:unanswered?)
    result(before, after, began, [@end, now].min)
  end

  def thread
    Thread.new do
      begin
        yield
      rescue StandardError, java.lang.Throwable => error
        say "a client ended: #{error}"
        @failure ||= error.class.name
      end
    end
  end

  def result(before, after, began, ended)
    asked, sent = [@streams.map { |it| it.asked((@settings['duration_s'] * 1e9).to_i) }, @streams.map(&:count_sent)].map { |it| it.inject(0, :+) }
    cut = if @interrupted then 'interrupted' elsif @failure then @failure elsif sent < asked then 'no operations left for a client' end
    {
      'schema_version' => 1, 'tool' => @settings['tool'], 'scenario' => @settings['scenario'], 'strategy' => @settings['strategy'],
      'hbase' => Java::OrgApacheHadoopHbaseUtil::VersionInfo.getVersion, 'table' => @names[0].getNameAsString,
      'table_created' => !@created.empty?, 'servers' => live_servers.size, 'from_s' => (began - @start) / 1e9, 'to_s' => (ended - @start) / 1e9,
      'operations' => { 'asked' => asked, 'sent' => sent }, 'cut_short' => cut,
      'late_ms' => quantiles(of_window(began, ended) { |it, at| it.sent[at] - it.intended[at] }),
      'writes' => side('writes', began, ended), 'reads' => side('reads', began, ended), 'regions' => regions(before, after)
    }
  end

  # What the block says of each operation whose intended start lies in the window.
  def of_window(began, ended, kind = nil)
    @streams.select { |it| kind.nil? || it.kind == kind }.flat_map do |stream|
      inside = (0...stream.sent.size).select { |at| stream.sent[at] != UNSENT && stream.intended[at] >= began && stream.intended[at] < ended }
      inside.map { |at| yield stream, at }
    end
  end

  def side(kind, began, ended)
    all = of_window(began, ended, kind) { |it, at| it.ended[at] > 0 ? it.ended[at] - it.intended[at] : it.ended[at] }
    done = all.select { |it| it >= 0 }
    completed = @streams.map { |it| it.kind == kind ? it.ended.count { |at| at >= began && at < ended } : 0 }.inject(0, :+)
    { 'offered' => all.size, 'failed' => all.count(FAILED), 'unfinished' => all.count(PENDING),
      'throughput_per_sec' => completed / ((ended - began) / 1e9), 'response_ms' => quantiles(done) }
  end

  def quantiles(nanos)
    return nil if nanos.empty?

    sorted = nanos.sort
    at = ->(q) { sorted[[(q * sorted.size).ceil - 1, 0].max] / 1e6 }
    { 'mean' => nanos.inject(0, :+) / 1e6 / nanos.size, 'p10' => at[0.1], 'p25' => at[0.25], 'p50' => at[0.5], 'p75' => at[0.75], 'p90' => at[0.9],
      'p99' => at[0.99], 'p999' => at[0.999], 'max' => sorted.last / 1e6 }
  end

  # The counters of a region that is opened elsewhere, or anew, begin again.
  def regions(before, after)
    starts = @admin.getRegions(@names[0]).map { |it| [it.getRegionNameAsString, it.getStartKey] }
    starts.select { |name, _| after[name] }.map do |name, start|
      server, *counted = after[name]
      opened_on, *old = before[name] || [nil, 0, 0]
      reopened = opened_on != server || counted.zip(old).any? { |it, was| it < was }
      reads, writes = reopened ? counted : counted.zip(old).map { |it, was| it - was }
      { 'start_hex' => String.from_java_bytes(start).unpack('H*')[0], 'server' => server, 'reads' => reads, 'writes' => writes, 'moved' => reopened }
    end
  end

  def tell(found)
    %w[writes reads].each do |kind|
      times = found[kind]['response_ms'] or next
      say format('%s: %.1f a second; mean %.2f ms, p50 %.2f, p99 %.2f; %d failed', kind, found[kind]['throughput_per_sec'],
                 times['mean'], times['p50'], times['p99'], found[kind]['failed'])
    end
    late = found['late_ms']
    say format('half of the operations began %.1f ms late and more: this shell is too slow for their rate', late['p50']) if late && late['p50'] > 1
    say "cut short (#{found['cut_short']}): #{found['operations']['sent']} operations were sent" if found['cut_short']
  end

  def main(file)
    read(file)
    Signal.trap('INT') { @interrupted ? java.lang.System.exit(130) : @interrupted = true }
    lock = java.util.concurrent.locks.ReentrantLock.new
    clean = lambda do
      lock.lock
      begin
        drop_tables
      rescue StandardError, java.lang.Throwable => error
        say "could not drop #{@created.map(&:getNameAsString).join(', ')}: #{error}\ndrop what has `#{MARK}` => '#{@tag}' in `describe` by hand"
      ensure
        lock.unlock
      end
    end
    java.lang.Runtime.getRuntime.addShutdownHook(java.lang.Thread.new { clean.call })
    connect
    lock.lock
    begin
      create_tables unless @interrupted
    ensure
      lock.unlock
    end
    return 130 if @interrupted

    found = replay
    tell(found)
    $stdout.puts JSON.generate(found)
    return 0 unless found['cut_short']

    @interrupted ? 130 : 1
  rescue Refused => refused
    say refused.message
    refused.code
  rescue StandardError, java.lang.Throwable => error
    say "ended by #{error.class}: #{error.to_s.lines.first}"
    1
  ensure
    clean&.call
  end
end

$keyheat_code = KeyheatReplay.main($keyheat_replay)
$stdout.flush
java.lang.System.exit($keyheat_code)
__END__
