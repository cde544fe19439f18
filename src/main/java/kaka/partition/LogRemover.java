package kaka.partition;

import java.io.IOException;

/** Removes a partition's files; called when its log is closed. */
@FunctionalInterface
public interface LogRemover {
  void remove() throws IOException;
}
