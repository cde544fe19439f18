package kaka.console;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import kaka.record.Allowance;
import kaka.record.RecordBatch;
import kaka.record.RecordCursor;

/** A record as the API shows it, taken out of its batch. */
record ShownRecord(
    int partition,
    long offset,
    long timestampMs,
    boolean isAppendTime,
    ShownBytes key,
    ShownBytes value,
    List<ShownHeader> headers,
    boolean areHeadersCut,
    String compression,
    boolean isTransactional) {
  static final int MAX_HEADERS = 50;

  /** What a byte that is shown takes as a string, in the answer while it grows, and in the answer, at most. */
  private static final int COPIES = 8;

  private static final int RECORD_BYTES = 600;

  record ShownHeader(String name, ShownBytes value) {}

  /**
   * The record that the walk stands on.
   *
   * @param maxBytes shown of its value, its key, and of each header's name and value
   * @param memory asked for what it takes
   */
  static ShownRecord of(int partition, RecordWalk walk, int maxBytes, Allowance memory) throws IOException {
    RecordCursor record = walk.record();
    RecordBatch batch = walk.batch();
    List<RecordCursor.HeaderView> views = walk.headers(MAX_HEADERS + 1);
    memory.reserve(costOf(record, views, maxBytes));
    List<ShownHeader> headers = new ArrayList<>();
    for (RecordCursor.HeaderView view : views.subList(0, Math.min(MAX_HEADERS, views.size()))) {
      ShownBytes name = ShownBytes.of(record.array(), view.namePosition(), view.nameSize(), maxBytes);
      headers.add(new ShownHeader(name.text(), ShownBytes.of(record.array(), view.valuePosition(), view.valueSize(), maxBytes)));
    }
    return new ShownRecord(
        partition,
        record.offset(),
        record.timestampMs(),
        batch.isLogAppendTime(),
        ShownBytes.of(record.array(), record.keyPosition(), record.keySize(), maxBytes),
        ShownBytes.of(record.array(), record.valuePosition(), record.valueSize(), maxBytes),
        headers,
        views.size() > MAX_HEADERS,
        walk.compression(),
        batch.isTransactional());
  }

  private static long costOf(RecordCursor record, List<RecordCursor.HeaderView> headers, int maxBytes) {
    long shown = shownBytes(record.keySize(), maxBytes) + shownBytes(record.valueSize(), maxBytes);
    for (RecordCursor.HeaderView header : headers) {
      shown += shownBytes(header.nameSize(), maxBytes) + shownBytes(header.valueSize(), maxBytes) + 100;
    }
    return RECORD_BYTES + COPIES * shown;
  }

  private static long shownBytes(int size, int maxBytes) {
    return Math.max(0, Math.min(size, maxBytes));
  }

  /** What it takes in an answer, about. */
  long sizeBytes() {
    long size = 300 + lengthOf(key) + lengthOf(value);
    for (ShownHeader header : headers) {
      size += 60 + header.name().length() + lengthOf(header.value());
    }
    return size;
  }

  private static int lengthOf(ShownBytes bytes) {
    return bytes.text() == null ? 0 : bytes.text().length();
  }

  void writeTo(JsonWriter out) {
    out.put("partition", partition)
        .put("offset", offset)
        .put("timestamp", timestampMs)
        .put("timestamp_type", isAppendTime ? "append" : "create");
    key.writeTo(out, "key", "key_", true);
    value.writeTo(out, "value", "value_", true);
    out.array("headers");
    for (ShownHeader header : headers) {
      out.object().put("name", header.name());
      header.value().writeTo(out, "value", "", false);
      out.end();
    }
    out.endArray();
    if (areHeadersCut) {
      out.put("headers_cut", true);
    }
    out.put("compression", compression).put("transactional", isTransactional);
  }
}
