package keyheat.hbase;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/** Measured quantities, appended to a file of JSON lines; each is there as soon as it is said. */
final class Measured implements AutoCloseable {
  /** How far a prediction may be off: the table of tests/all/real_hbase names the tolerance of each. */
  enum Kind { THROUGHPUT, SHARE, FAILED, MEAN, P90, P99, P999, EXACT, FILE_SIZE, SPLITS, FLUSH }

  private static final Gson GSON = new Gson();

  private final PrintWriter writer;
  private final int repeat;

  Measured(Path file, int repeat) throws IOException {
    this.repeat = repeat;
    writer = new PrintWriter(
        Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  /** What was measured of a strategy of a scenario. */
  void say(Exported of, String quantity, Kind kind, Object value) {
    say(of.id() + quantity, of.sha256, kind, value);
  }

  /** What was measured without a scenario. */
  void say(String id, Kind kind, Object value) {
    say(id, null, kind, value);
  }

  private synchronized void say(String id, String scenario, Kind kind, Object value) {
    JsonObject line = new JsonObject();
    line.addProperty("id", id);
    line.addProperty("kind", kind.name().toLowerCase().replace('_', '-'));
    line.add("value", rounded(value));
    line.addProperty("repeat", repeat);
    line.addProperty("date", LocalDate.now(ZoneOffset.UTC).toString());
    line.addProperty("hbase", VersionInfo.getVersion());
    line.addProperty("java", Runtime.version().feature());
    if (scenario != null) {
      line.addProperty("scenario_sha256", scenario);
    }
    writer.println(line);
    writer.flush();
    String text = line.toString();
    System.out.println(text.length() > 160 ? text.substring(0, 160) + " ..." : text);
  }

  /** Six digits are more than any of it is exact to, but for counts. */
  private static JsonElement rounded(Object value) {
    return value instanceof Double number && Double.isFinite(number)
        ? JsonParser.parseString(Double.toString(Double.parseDouble(String.format(java.util.Locale.ROOT, "%.6g", number))))
        : GSON.toJsonTree(value);
  }

  @Override
  public void close() {
    writer.close();
  }
}
