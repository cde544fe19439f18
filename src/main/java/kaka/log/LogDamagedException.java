package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/** A log holds bytes that it never wrote so, or misses some that it did: an operator decides, nothing was changed. */
public final class LogDamagedException extends IOException {
  private final transient Path file;
  private final long position;
  private final String reason;
  private final String advice;

  /** @param position where in {@code file} the damage starts, in bytes */
  public LogDamagedException(Path file, long position, String reason) {
    this(file, position, reason, Advice.forLog(file));
  }

  /** @param intactEnd offset after the last record before the damage */
  LogDamagedException(Path file, long position, String reason, long intactEnd) {
    this(file, position, reason, Advice.forLog(file, intactEnd));
  }

  /** @param advice what an operator can do, as sentences without a full stop at the end */
  public LogDamagedException(Path file, long position, String reason, String advice) {
    super(file + " is damaged at byte " + position + ": " + reason + ". " + advice);
    this.file = file;
    this.position = position;
    this.reason = reason;
    this.advice = advice;
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

  /** What an operator can do, with commands that can be pasted. */
  public String advice() {
    return advice;
  }
}
