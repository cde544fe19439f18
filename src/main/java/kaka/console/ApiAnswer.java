package kaka.console;

import akka.http.javadsl.model.ContentType;
import akka.http.javadsl.model.ContentTypes;
import java.util.Optional;
import kaka.partition.MemoryCharge;

/**
 * What the API answers.
 *
 * @param charge for the body's memory, where it was charged when it was made; given back when the body is out
 * @param fileName under which a browser keeps it; empty: it shows it
 * @param retryAfterSeconds when the client may come again with the same; 0: no use
 */
record ApiAnswer(
    int status, ContentType type, byte[] body, Optional<MemoryCharge> charge, Optional<String> fileName, int retryAfterSeconds) {
  static ApiAnswer json(int status, JsonWriter out) {
    return new ApiAnswer(status, ContentTypes.APPLICATION_JSON, out.toBytes(), Optional.empty(), Optional.empty(), 0);
  }

  static ApiAnswer ok(JsonWriter out) {
    return json(200, out);
  }

  /** Bytes as they are. */
  static ApiAnswer file(byte[] body, String fileName, MemoryCharge charge) {
    ContentType bytes = ContentTypes.APPLICATION_OCTET_STREAM;
    return new ApiAnswer(200, bytes, body, Optional.of(charge), Optional.of(fileName), 0);
  }

  ApiAnswer retryAfter(int seconds) {
    return new ApiAnswer(status, type, body, charge, fileName, seconds);
  }
}
