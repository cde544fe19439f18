package kaka.bench;

/**
 * What goes over the wire, and how fast.
 *
 * @param connections that produce, or in {@link Load#FETCH} those that read; 1 to 10,000. Connection i uses partition i modulo
 *     their number
 * @param readers connections that read beside those that produce
 * @param window produce requests in flight on each connection, at least 1
 * @param recordBytes of a record's value, at least {@link Payload#HEADER_BYTES}; there are no keys
 * @param batchRecords records in one produce request, at least 1
 * @param fetchBytes how much an answer to a fetch may hold; one batch comes even if it is larger
 * @param fillBytes of values that are produced before something reads from the start
 * @param recordsPerSecond of all connections together; 0: each sends whenever its window has room
 */
public record Traffic(
    int connections,
    int readers,
    int window,
    int recordBytes,
    int batchRecords,
    int fetchBytes,
    long fillBytes,
    double recordsPerSecond) {
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int MAX_WINDOW = 100_000;
  private static final long MAX_REQUEST_BYTES = 1L << 30;

  public Traffic {
    between("connections", connections, 1, MAX_CONNECTIONS);
    between("readers", readers, 1, MAX_CONNECTIONS);
    between("window", window, 1, MAX_WINDOW);
    between("record-bytes", recordBytes, Payload.HEADER_BYTES, MAX_REQUEST_BYTES);
    between("batch", batchRecords, 1, MAX_REQUEST_BYTES);
    between("fetch-bytes", fetchBytes, 1, MAX_REQUEST_BYTES);
    between("fill-bytes", fillBytes, 1, Long.MAX_VALUE);
    if (requestBytes(recordBytes, batchRecords) > MAX_REQUEST_BYTES) {
      throw new IllegalArgumentException("record-bytes " + recordBytes + " times batch " + batchRecords + ": at most 1 GiB");
    }
    if (!(recordsPerSecond >= 0 && recordsPerSecond <= 1e9)) {
      throw new IllegalArgumentException("rate " + recordsPerSecond + ": 0 to 1,000,000,000");
    }
  }

  private static void between(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " " + value + ": at least " + least + (most == Long.MAX_VALUE ? "" : ", at most " + most));
    }
  }

  private static long requestBytes(long recordBytes, long batchRecords) {
    return (recordBytes + 32) * batchRecords;
  }

  /** Memory for buffers at worst, about. */
  long bufferBytes(Load load) {
    long ofProducers = load.produces() ? connections * Math.max(requestBytes(recordBytes, batchRecords), 1L << 16) : 0;
    long ofReaders = load.fetches() ? (load.produces() ? readers : connections) * 2L * fetchBytes : 0;
    return ofProducers + ofReaders;
  }

  double requestsPerSecond() {
    return recordsPerSecond / batchRecords;
  }

  public Traffic withRate(double newRecordsPerSecond) {
    return new Traffic(connections, readers, window, recordBytes, batchRecords, fetchBytes, fillBytes, newRecordsPerSecond);
  }

  Traffic withConnections(int count) {
    return new Traffic(count, readers, window, recordBytes, batchRecords, fetchBytes, fillBytes, recordsPerSecond);
  }

  /** The same records in requests of some 64 KiB, without a limit of the rate: to have something to read soon. */
  Traffic forFill() {
    int batch = Math.max(1, (64 << 10) / recordBytes);
    return new Traffic(Math.min(connections, 4), readers, 16, recordBytes, batch, fetchBytes, fillBytes, 0);
  }
}
