package kaka.checks;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import kaka.protocol.Fetch;
import kaka.protocol.ProtocolException;
import kaka.protocol.Records;
import kaka.protocol.Response;
import kaka.protocol.Responses;
import kaka.record.TopicPartition;

/** Holds a broker against a journal: is every acknowledged record there, once, at its offset, intact, without a gap around it? */
final class Verification {
  private long acked;
  private long lost;
  private long moved;
  private long duplicates;
  private long corrupt;
  private long gaps;
  private long oldestLostAckMs = Long.MAX_VALUE;
  private long newestAckMs;

  private record Key(long run, int connection, long sequence) {}

  static Verification of(InetSocketAddress broker, List<AckJournal.Ack> acks) throws IOException {
    Verification result = new Verification();
    Map<TopicPartition, List<AckJournal.Ack>> byPartition = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (AckJournal.Ack ack : acks) {
      byPartition.computeIfAbsent(new TopicPartition(ack.topic(), ack.partition()), k -> new ArrayList<>()).add(ack);
      result.newestAckMs = Math.max(result.newestAckMs, ack.atMs());
    }
    for (Map.Entry<TopicPartition, List<AckJournal.Ack>> partition : byPartition.entrySet()) {
      result.check(result.read(broker, partition.getKey()), partition.getValue());
    }
    return result;
  }

  private Map<Key, Long> read(InetSocketAddress broker, TopicPartition partition) throws IOException {
    Map<Key, Long> offsets = new HashMap<>();
    try (Socket socket = new Socket()) {
      socket.connect(broker, 10_000);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      long next = 0;
      while (true) {
        socket.getOutputStream().write(new Fetch(partition, next, 4 << 20, 0, 0).toFrame());
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        Records records = records(frame);
        if (records.entries().isEmpty()) {
          return offsets;
        }
        for (Records.Entry entry : records.entries()) {
          gaps += entry.offset() == next ? 0 : 1;
          next = entry.offset() + 1;
          take(entry, offsets);
        }
      }
    }
  }

  private static Records records(byte[] frame) throws IOException {
    try {
      Response response = Responses.decode(frame[0] & 0xff, frame, 1, frame.length);
      if (response instanceof Records records) {
        return records;
      }
      throw new IOException("not an answer to FETCH: " + response);
    } catch (ProtocolException e) {
      throw new IOException(e);
    }
  }

  private void take(Records.Entry entry, Map<Key, Long> offsets) {
    if (!Flood.RecordValue.isIntact(entry.value())) {
      corrupt++;
      return;
    }
    ByteBuffer value = ByteBuffer.wrap(entry.value());
    Key key = new Key(value.getLong(), value.getInt(), value.getLong());
    duplicates += offsets.put(key, entry.offset()) == null ? 0 : 1;
  }

  private void check(Map<Key, Long> offsets, List<AckJournal.Ack> acks) {
    for (AckJournal.Ack ack : acks) {
      for (int i = 0; i < ack.recordCount(); i++) {
        acked++;
        Long offset = offsets.get(new Key(ack.run(), ack.connection(), ack.sequence() + i));
        if (offset == null) {
          lost++;
          oldestLostAckMs = Math.min(oldestLostAckMs, ack.atMs());
        } else if (offset != ack.baseOffset() + i) {
          moved++;
        }
      }
    }
  }

  /** Something was acknowledged, and all of it is there. */
  boolean isGood() {
    return acked > 0 && lost + moved + duplicates + corrupt + gaps == 0;
  }

  /** How far before the last ack the oldest lost record was acknowledged, in milliseconds; 0 if none is lost. */
  long lossSpanMs() {
    return lost == 0 ? 0 : newestAckMs - oldestLostAckMs;
  }

  long lost() {
    return lost;
  }

  /** Whether what is there is right, lost records aside. */
  boolean isGoodButForLoss() {
    return acked > 0 && moved + duplicates + corrupt + gaps == 0;
  }

  @Override
  public String toString() {
    return "acked=" + acked + " lost=" + lost + " moved=" + moved + " duplicates=" + duplicates + " corrupt=" + corrupt
        + " gaps=" + gaps + " loss_span_ms=" + lossSpanMs();
  }
}
