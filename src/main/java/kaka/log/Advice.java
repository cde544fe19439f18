package kaka.log;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What went wrong and what an operator can do about it, with commands that can be pasted as they are. */
public final class Advice {
  private Advice() {}

  /** About the log of the partition that {@code file} belongs to, where it is not known what is good before the damage. */
  static String forLog(Path file) {
    return restore(file) + truncate(file, "OFFSET") + "; check names the OFFSET";
  }

  /** @param intactEnd offset after the last record before the damage */
  static String forLog(Path file, long intactEnd) {
    return restore(file) + truncate(file, Long.toString(intactEnd));
  }

  private static String restore(Path file) {
    return "Nothing was changed. With the broker stopped, `kaka log check " + shell(partitionOf(file))
        + "` lists what is damaged; restore it from a copy, or give up ";
  }

  private static String truncate(Path file, String offset) {
    return "everything from there on with `kaka log truncate " + shell(partitionOf(file)) + " --to-offset " + offset + " --yes`";
  }

  /** About a small file of known contents. */
  static String forText(Path file, String what, String content) {
    return "Nothing was changed. Restore it from a copy; or, if " + what + ", write it anew, with the broker stopped: `printf '"
        + content.replace("\n", "\\n") + "' > " + shell(file) + "`";
  }

  static String forIndex(Path file) {
    return "No record is affected; the next start, or `kaka log reindex " + shell(partitionOf(file)) + "`, writes it anew";
  }

  /** What the disk refused, for people: Java's own messages are often the file's name and nothing else. */
  public static String reasonOf(IOException e) {
    if (e instanceof AccessDeniedException denied) {
      return "permission denied on " + denied.getFile() + " for " + System.getProperty("user.name");
    }
    if (e instanceof FileAlreadyExistsException other && other.getReason() == null) {
      return other.getFile() + " is in the way";
    }
    if (e instanceof NoSuchFileException missing && missing.getReason() == null) {
      return missing.getFile() + " is missing";
    }
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private static Path partitionOf(Path file) {
    return LogFiles.isPartOfLog(file) ? WholeFile.parentOf(file) : file;
  }

  /** {@code path} as a word for a shell. */
  public static String shell(Path path) {
    String text = path.toString();
    return text.matches("[A-Za-z0-9_./:@%+=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
