package kaka.cli;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import kaka.log.AbortedTransaction;
import kaka.log.SegmentScan;
import kaka.record.Header;
import kaka.record.InvalidBatchException;
import kaka.record.Record;
import kaka.record.RecordBatch;

/** How {@code kaka log dump} puts things: a line each, empty for none. */
enum DumpFormat {
  TEXT {
    @Override
    String aborted(AbortedTransaction aborted) {
      return "aborted  producer " + aborted.producerId() + "  offsets " + aborted.firstOffset() + " to " + aborted.lastOffset()
          + "  last stable offset " + aborted.lastStableOffset();
    }

    @Override
    String file(Path log, int sizeBytes) {
      return log + "  " + sizeBytes + " bytes";
    }

    @Override
    String batch(SegmentScan.Whole whole, RecordBatch batch) {
      StringBuilder line = new StringBuilder();
      line.append("batch  offsets ").append(whole.baseOffset()).append(" to ").append(whole.lastOffset());
      line.append("  records ").append(batch.recordCount());
      line.append("  position ").append(whole.position()).append("  bytes ").append(whole.sizeBytes());
      line.append("  max time ").append(time(whole.maxTimestampMs()));
      if (batch.producerId() >= 0) {
        line.append("  producer ").append(batch.producerId()).append('/').append(batch.producerEpoch());
        line.append(" sequence ").append(batch.baseSequence());
      }
      line.append(batch.isCompressed() ? "  compressed " + codec(batch) : "").append(batch.isTransactional() ? "  transactional" : "");
      return line.append(batch.isControl() ? "  control" : "").toString();
    }

    @Override
    String record(Record record) {
      StringBuilder line = new StringBuilder();
      line.append("  ").append(record.offset()).append("  ").append(time(record.timestampMs()));
      line.append("  key ").append(PrintableBytes.quoted(record.key()));
      line.append("  value ").append(PrintableBytes.quoted(record.value()));
      for (Header header : record.headers()) {
        line.append("  header ").append(header.key()).append('=').append(PrintableBytes.quoted(header.value()));
      }
      return line.toString();
    }

    @Override
    String damaged(SegmentScan.Damaged bad) {
      String offsets =
          bad.nextOffset().isEmpty() ? "  nothing whole follows" : "  goes on at offset " + bad.nextOffset().getAsLong();
      return "DAMAGED  position " + bad.position() + "  bytes " + bad.sizeBytes() + "  " + bad.fault() + offsets;
    }

    @Override
    String zeroed(SegmentScan.Zeroed zeros) {
      return "zeros  position " + zeros.position() + "  bytes " + zeros.sizeBytes();
    }

    @Override
    String notReadable(SegmentScan.Whole whole, String why) {
      return "  " + why;
    }
  },

  JSON {
    @Override
    String aborted(AbortedTransaction aborted) {
      Map<String, String> fields = typed("aborted");
      fields.put("producerId", Long.toString(aborted.producerId()));
      fields.put("firstOffset", Long.toString(aborted.firstOffset()));
      fields.put("lastOffset", Long.toString(aborted.lastOffset()));
      fields.put("lastStableOffset", Long.toString(aborted.lastStableOffset()));
      return Json.object(fields);
    }

    @Override
    String file(Path log, int sizeBytes) {
      Map<String, String> fields = typed("file");
      fields.put("file", Json.string(log.toString()));
      fields.put("bytes", Integer.toString(sizeBytes));
      return Json.object(fields);
    }

    @Override
    String batch(SegmentScan.Whole whole, RecordBatch batch) {
      Map<String, String> fields = typed("batch");
      fields.put("baseOffset", Long.toString(whole.baseOffset()));
      fields.put("lastOffset", Long.toString(whole.lastOffset()));
      fields.put("records", Integer.toString(batch.recordCount()));
      fields.put("position", Long.toString(whole.position()));
      fields.put("bytes", Integer.toString(whole.sizeBytes()));
      fields.put("maxTimestampMs", Long.toString(whole.maxTimestampMs()));
      fields.put("producerId", Long.toString(batch.producerId()));
      fields.put("producerEpoch", Short.toString(batch.producerEpoch()));
      fields.put("baseSequence", Integer.toString(batch.baseSequence()));
      fields.put("compressed", Boolean.toString(batch.isCompressed()));
      fields.put("codec", Json.string(codec(batch)));
      fields.put("transactional", Boolean.toString(batch.isTransactional()));
      fields.put("control", Boolean.toString(batch.isControl()));
      return Json.object(fields);
    }

    @Override
    String record(Record record) {
      Map<String, String> fields = typed("record");
      fields.put("offset", Long.toString(record.offset()));
      fields.put("timestampMs", Long.toString(record.timestampMs()));
      PrintableBytes.json("key", record.key(), fields);
      PrintableBytes.json("value", record.value(), fields);
      if (!record.headers().isEmpty()) {
        List<String> headers = new ArrayList<>();
        for (Header header : record.headers()) {
          Map<String, String> one = new LinkedHashMap<>();
          one.put("name", Json.string(header.key()));
          PrintableBytes.json("value", header.value(), one);
          headers.add(Json.object(one));
        }
        fields.put("headers", Json.array(headers));
      }
      return Json.object(fields);
    }

    @Override
    String damaged(SegmentScan.Damaged bad) {
      Map<String, String> fields = typed("damaged");
      fields.put("position", Long.toString(bad.position()));
      fields.put("bytes", Integer.toString(bad.sizeBytes()));
      fields.put("fault", Json.string(bad.fault()));
      fields.put("firstOffset", orNull(bad.firstOffset()));
      fields.put("nextOffset", orNull(bad.nextOffset()));
      return Json.object(fields);
    }

    @Override
    String zeroed(SegmentScan.Zeroed zeros) {
      Map<String, String> fields = typed("zeros");
      fields.put("position", Long.toString(zeros.position()));
      fields.put("bytes", Integer.toString(zeros.sizeBytes()));
      return Json.object(fields);
    }

    @Override
    String notReadable(SegmentScan.Whole whole, String why) {
      Map<String, String> fields = typed("notReadable");
      fields.put("baseOffset", Long.toString(whole.baseOffset()));
      fields.put("reason", Json.string(why));
      return Json.object(fields);
    }
  };

  abstract String file(Path log, int sizeBytes);

  abstract String batch(SegmentScan.Whole whole, RecordBatch batch);

  abstract String record(Record record);

  abstract String aborted(AbortedTransaction aborted);

  abstract String damaged(SegmentScan.Damaged bad);

  /** What was written ahead of the end of a segment that grew. */
  abstract String zeroed(SegmentScan.Zeroed zeros);

  abstract String notReadable(SegmentScan.Whole whole, String why);

  private static Map<String, String> typed(String type) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("type", Json.string(type));
    return fields;
  }

  private static String orNull(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "null";
  }

  private static String codec(RecordBatch batch) {
    try {
      return batch.codec().toString();
    } catch (InvalidBatchException e) {
      return "unknown";
    }
  }

  private static String time(long timestampMs) {
    return timestampMs < 0 ? "none" : Instant.ofEpochMilli(timestampMs).toString();
  }
}
