package keyheat.hbase;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;

/** The settings of a strategy as {@code keyheat export} writes them: by dotted paths, with the scenario's own units. */
final class Settings {
  private static final Pattern WITH_UNIT = Pattern.compile("([0-9.]+) *([a-zA-Z]*)(?:/s)?");
  private static final Map<String, Double> SECONDS =
      Map.of("ns", 1e-9, "us", 1e-6, "ms", 1e-3, "s", 1.0, "m", 60.0, "h", 3600.0, "d", 86400.0);
  private static final Map<String, Double> BYTES =
      Map.of("", 1.0, "b", 1.0, "kb", 1024.0, "mb", 1048576.0, "gb", 1073741824.0);

  private final JsonObject all;

  Settings(JsonObject all) {
    this.all = all;
  }

  /** What stands at the path; null when nothing does. */
  JsonElement find(String path) {
    JsonElement at = all;
    for (String key : path.split("\\.")) {
      at = at != null && at.isJsonObject() ? at.getAsJsonObject().get(key) : null;
    }
    return at;
  }

  boolean has(String path) {
    return find(path) != null;
  }

  /** Whether the balancer of the cluster runs. */
  boolean balances() {
    return has("balancer.policy") && !text("balancer.policy").equals("none");
  }

  /** The column families of the table, the first of which is that of all writes that say nothing of it. */
  List<String> families() {
    return has("family") ? List.copyOf(names("family")) : List.of(text("table.family"));
  }

  /** The names below a path. */
  Set<String> names(String path) {
    JsonElement found = find(path);
    return found == null ? Set.of() : found.getAsJsonObject().keySet();
  }

  String text(String path) {
    JsonElement found = find(path);
    if (found == null) {
      throw new IllegalArgumentException("the scenario does not set " + path);
    }
    return found.getAsString();
  }

  int integer(String path) {
    return Integer.parseInt(text(path));
  }

  double number(String path) {
    return Double.parseDouble(text(path));
  }

  double seconds(String path) {
    return parse(text(path), SECONDS);
  }

  long nanos(String path) {
    return Math.round(seconds(path) * 1e9);
  }

  /** A size, or a bandwidth a second. */
  long bytes(String path) {
    return Math.round(parse(text(path), BYTES));
  }

  static double seconds(JsonElement value) {
    return parse(value.getAsString(), SECONDS);
  }

  private static double parse(String text, Map<String, Double> units) {
    Matcher matcher = WITH_UNIT.matcher(text.trim());
    Double unit = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw new IllegalArgumentException("no number with a unit: " + text);
    }
    return Double.parseDouble(matcher.group(1)) * unit;
  }
}
