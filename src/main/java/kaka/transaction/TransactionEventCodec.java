package kaka.transaction;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import kaka.log.EventCodec;
import kaka.record.Record;
import kaka.record.TopicPartition;

/**
 * Events as records: the key is the transactional id, the value lines of text, or null where the id is forgotten.
 *
 * <pre>
 * version=1
 * phase=PREPARE_COMMIT
 * producer=7000 epoch=3 last_producer=-1 last_epoch=-1
 * timeout_ms=60000 started_ms=1732900000000 changed_ms=1732900000420
 * partition=01234567-89ab-cdef-0123-456789abcdef orders-0
 * owed=01234567-89ab-cdef-0123-456789abcdef orders-1 7000 2 abort
 * </pre>
 */
final class TransactionEventCodec implements EventCodec<TransactionEvent> {
  private static final int BASE_BYTES = 300;
  private static final int PARTITION_BYTES = 120;

  @Override
  public byte[] key(TransactionEvent event) {
    return event.id().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] value(TransactionEvent event) {
    if (!(event instanceof TransactionEvent.Changed changed)) {
      return null;
    }
    Transaction each = changed.transaction();
    StringBuilder lines = new StringBuilder("version=1\nphase=").append(each.phase().name());
    lines.append("\nproducer=").append(each.producerId()).append(" epoch=").append(each.epoch());
    lines.append(" last_producer=").append(each.lastProducerId()).append(" last_epoch=").append(each.lastEpoch());
    lines.append("\ntimeout_ms=").append(each.timeoutMs()).append(" started_ms=").append(each.startedMs());
    lines.append(" changed_ms=").append(each.changedMs()).append('\n');
    for (TransactionPartition partition : each.partitions()) {
      append(lines.append("partition="), partition).append('\n');
    }
    for (OwedMarker owed : each.owed()) {
      append(lines.append("owed="), owed.partition()).append(' ').append(owed.producerId());
      lines.append(' ').append(owed.epoch()).append(owed.isCommit() ? " commit\n" : " abort\n");
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static StringBuilder append(StringBuilder line, TransactionPartition partition) {
    line.append(partition.topicId()).append(' ').append(partition.partition().topic());
    return line.append('-').append(partition.partition().partition());
  }

  @Override
  public long sizeOf(TransactionEvent event) {
    long idBytes = 3L * event.id().length();
    return event instanceof TransactionEvent.Changed changed
        ? BASE_BYTES
            + idBytes
            + (long) (PARTITION_BYTES + 250) * (changed.transaction().partitions().size() + changed.transaction().owed().size())
        : idBytes;
  }

  @Override
  public TransactionEvent parse(Record record) throws IOException {
    if (record.key() == null) {
      throw new IOException("a transaction event without a key");
    }
    String id = new String(record.key(), StandardCharsets.UTF_8);
    if (record.value() == null) {
      return new TransactionEvent.Removed(id);
    }
    Map<String, String> fields = new HashMap<>();
    Set<TransactionPartition> partitions = new LinkedHashSet<>();
    List<OwedMarker> owed = new ArrayList<>();
    try {
      for (String line : new String(record.value(), StandardCharsets.UTF_8).split("\n")) {
        if (line.startsWith("partition=")) {
          String[] words = line.substring("partition=".length()).split(" ");
          partitions.add(partition(words));
        } else if (line.startsWith("owed=")) {
          String[] words = line.substring("owed=".length()).split(" ");
          owed.add(
              new OwedMarker(
                  partition(words), Long.parseLong(words[2]), Short.parseShort(words[3]), words[4].equals("commit")));
        } else {
          for (String word : line.split(" ")) {
            fields.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
          }
        }
      }
      if (!"1".equals(fields.get("version"))) {
        throw new IOException("unknown transaction event of version " + fields.get("version"));
      }
      return new TransactionEvent.Changed(transaction(id, fields, partitions, owed));
    } catch (IllegalArgumentException | IndexOutOfBoundsException | NullPointerException e) {
      throw new IOException("not a transaction event: " + e.getMessage(), e);
    }
  }

  private static Transaction transaction(
      String id, Map<String, String> fields, Set<TransactionPartition> partitions, List<OwedMarker> owed) {
    return new Transaction(
        id,
        Long.parseLong(fields.get("producer")),
        Short.parseShort(fields.get("epoch")),
        Long.parseLong(fields.get("last_producer")),
        Short.parseShort(fields.get("last_epoch")),
        Integer.parseInt(fields.get("timeout_ms")),
        TransactionPhase.valueOf(fields.get("phase")),
        partitions,
        Long.parseLong(fields.get("started_ms")),
        Long.parseLong(fields.get("changed_ms")),
        owed);
  }

  private static TransactionPartition partition(String[] words) {
    int dash = words[1].lastIndexOf('-');
    return new TransactionPartition(
        UUID.fromString(words[0]),
        new TopicPartition(words[1].substring(0, dash), Integer.parseInt(words[1].substring(dash + 1))));
  }
}
