package kaka.partition;

import java.io.IOException;
import kaka.log.PartitionLog;

/** Opens or creates a partition's log, which recovers it and so may take long. */
@FunctionalInterface
public interface LogOpener {
  PartitionLog open() throws IOException;
}
