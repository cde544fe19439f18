package kaka.log;

import java.io.IOException;

/** A data directory is not one that this broker can use; the message is a whole line for people. */
final class UnusableDirectoryException extends IOException {
  UnusableDirectoryException(String message) {
    super(message);
  }

  UnusableDirectoryException(String message, IOException cause) {
    super(message, cause);
  }
}
