package kaka.log;

import java.io.IOException;
import kaka.record.Record;

/** How an event stands in an {@link EventLog}: as the key and value of a record, so that a log dump can be read. */
public interface EventCodec<E> {
  byte[] key(E event);

  /** Null for an event that only says that something is no more. */
  byte[] value(E event);

  /** @throws IOException if it is no event that this version knows: its owner must not guess */
  E parse(Record record) throws IOException;

  /** Bytes of the event's key and value, at most about. */
  long sizeOf(E event);
}
