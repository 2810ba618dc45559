package keyheat.hbase;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/** What {@code keyheat export --to jsonl} wrote: a strategy's settings, split points and operations. */
final class Exported {
  /** A row that exists before the run, with the timestamp of its cells. */
  record Existing(long writtenMs, byte[] key) {}

  /** A row that is written; {@code at} in seconds from the start. */
  record Write(double at, byte[] key) {}

  /** The rows that are got and the ranges that are scanned by one read. */
  record Read(double at, List<byte[]> gets, List<Range> scans) {}

  record Range(byte[] start, byte[] stop, boolean reversed) {}

  final String scenario;
  final String strategy;
  final String sha256;
  final Settings settings;
  final byte[][] splits;
  final List<Existing> existing = new ArrayList<>();
  /** By the write's name, in the order of their times. */
  final Map<String, List<Write>> writes = new LinkedHashMap<>();
  /** By the read's name, likewise. */
  final Map<String, List<Read>> reads = new LinkedHashMap<>();

  Exported(Path file) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      JsonObject head = JsonParser.parseString(lines.readLine()).getAsJsonObject();
      if (head.get("schema_version").getAsInt() != 1) {
        throw new IOException(file + " is of another schema: " + head.get("schema_version"));
      }
      scenario = head.getAsJsonObject("scenario").get("name").getAsString();
      JsonObject origin = head.getAsJsonObject("scenario");
      sha256 = origin.getAsJsonArray("overrides").isEmpty() ? origin.get("sha256").getAsString() : "with other settings";
      strategy = head.get("strategy").getAsString();
      settings = new Settings(head.getAsJsonObject("settings"));
      JsonObject table = head.getAsJsonArray("tables").get(0).getAsJsonObject();
      splits = keys(table.getAsJsonArray("splits_hex")).toArray(new byte[0][]);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        operation(JsonParser.parseString(line).getAsJsonObject());
      }
    }
  }

  private void operation(JsonObject line) {
    if (line.has("read")) {
      List<Range> scans = new ArrayList<>();
      if (line.has("scans")) {
        for (JsonElement scan : line.getAsJsonArray("scans")) {
          JsonObject range = scan.getAsJsonObject();
          scans.add(new Range(key(range.get("start")), key(range.get("stop")), range.get("reversed").getAsBoolean()));
        }
      }
      List<byte[]> gets = line.has("gets") ? keys(line.getAsJsonArray("gets")) : List.of();
      reads.computeIfAbsent(line.get("read").getAsString(), name -> new ArrayList<>())
          .add(new Read(line.get("at_s").getAsDouble(), gets, scans));
    } else if (line.has("write")) {
      writes.computeIfAbsent(line.get("write").getAsString(), name -> new ArrayList<>())
          .add(new Write(line.get("at_s").getAsDouble(), key(line.get("key"))));
    } else {
      existing.add(new Existing(line.get("written_ms").getAsLong(), key(line.get("key"))));
    }
  }

  private static List<byte[]> keys(JsonArray texts) {
    List<byte[]> keys = new ArrayList<>(texts.size());
    texts.forEach(text -> keys.add(key(text)));
    return keys;
  }

  private static byte[] key(JsonElement hex) {
    return HexFormat.of().parseHex(hex.getAsString());
  }

  /** The keys of all that is written: what exists, then every write in the order of its times. */
  List<byte[]> rows() {
    List<byte[]> rows = new ArrayList<>();
    existing.forEach(row -> rows.add(row.key()));
    writes.values().forEach(all -> all.forEach(write -> rows.add(write.key())));
    return rows;
  }

  /** The beginning of its quantities' ids. */
  String id() {
    return scenario + "/" + strategy + "/";
  }
}
