package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/** A log holds bytes that it never wrote so, or misses some that it did: an operator decides, nothing was changed. */
public final class LogDamagedException extends IOException {
  private static final String ADVICE =
      "Nothing was changed. `kaka log check` shows what can be read; restore the file, or give up what is damaged"
          + " with `kaka log truncate`";

  private final transient Path file;
  private final long position;
  private final String reason;

  /** @param position where in {@code file} the damage starts, in bytes */
  public LogDamagedException(Path file, long position, String reason) {
    super(file + " is damaged at byte " + position + ": " + reason + ". " + ADVICE);
    this.file = file;
    this.position = position;
    this.reason = reason;
  }

  public Path file() {
    return file;
  }

  public long position() {
    return position;
  }

  public String reason() {
    return reason;
  }

  /** What an operator can do. */
  public String advice() {
    return ADVICE;
  }
}
