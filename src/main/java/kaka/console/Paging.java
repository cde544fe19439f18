package kaka.console;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * A part of a list, as a request wants it.
 *
 * @param filter in small letters; empty: everything
 * @param sort by what; empty: as the list comes
 */
record Paging(int offset, int limit, String filter, String sort, boolean isDescending) {
  static final int MAX_LIMIT = 1000;
  private static final int DEFAULT_LIMIT = 100;

  /** @param sorts what the list can be sorted by */
  static Paging of(ApiCall call, String... sorts) {
    return new Paging(
        call.count("offset", 0, Integer.MAX_VALUE, 0),
        call.count("limit", 1, MAX_LIMIT, DEFAULT_LIMIT),
        call.text("filter").orElse("").toLowerCase(Locale.ROOT),
        call.word("sort", sorts).orElse(""),
        call.word("order", "asc", "desc").filter("desc"::equals).isPresent());
  }

  /** Whether the name has the filter's text in it, in whatever case. */
  boolean takes(String name) {
    return filter.isEmpty() || name.toLowerCase(Locale.ROOT).contains(filter);
  }

  <T> Predicate<T> takes(java.util.function.Function<T, String> name) {
    return each -> takes(name.apply(each));
  }

  /** What is to be shown of {@code all}, sorted. */
  <T> List<T> part(List<T> all, Map<String, Comparator<T>> sorts) {
    List<T> sorted = all;
    if (!sort.isEmpty() || isDescending) {
      Comparator<T> order = sorts.get(sort.isEmpty() ? sorts.keySet().iterator().next() : sort);
      sorted = all.stream().sorted(isDescending ? order.reversed() : order).toList();
    }
    int from = Math.min(offset, sorted.size());
    return sorted.subList(from, Math.min(sorted.size(), from + limit));
  }

  /** Writes a page: the count of all, and the items of this part. */
  <T> JsonWriter write(JsonWriter out, List<T> all, Map<String, Comparator<T>> sorts, BiConsumer<JsonWriter, T> item) {
    return writePart(out, all.size(), part(all, sorts), item);
  }

  /** @param part what {@link #part} gave, or was taken out of a list in another way */
  <T> JsonWriter writePart(JsonWriter out, long total, List<T> part, BiConsumer<JsonWriter, T> item) {
    out.put("total", total).put("offset", offset).put("limit", limit).array("items");
    for (T each : part) {
      out.object();
      item.accept(out, each);
      out.end();
    }
    return out.endArray();
  }
}
