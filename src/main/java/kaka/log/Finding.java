package kaka.log;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Something that a check came upon.
 *
 * @param position in {@code file}, in bytes
 * @param what it is and what it means, a sentence without a full stop
 * @param advice what can be done, the same; empty for a note
 */
public record Finding(Level level, Path file, long position, String what, String advice) {
  public enum Level {
    /** Acknowledged records are damaged, missing, or cannot be reached. */
    DAMAGE,
    /** Not as it should be, but no record is affected. */
    FAULT,
    /** Worth knowing; nothing is wrong. */
    NOTE
  }

  public Finding {
    Objects.requireNonNull(level);
    Objects.requireNonNull(file);
    Objects.requireNonNull(what);
    Objects.requireNonNull(advice);
  }

  public static Finding of(LogDamagedException damage) {
    return new Finding(Level.DAMAGE, damage.file(), damage.position(), damage.reason(), damage.advice());
  }

  public static Finding note(Path file, String what) {
    return new Finding(Level.NOTE, file, 0, what, "");
  }

  /** Whether something is wrong. */
  public boolean isWrong() {
    return level != Level.NOTE;
  }
}
