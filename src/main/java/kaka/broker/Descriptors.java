package kaka.broker;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import kaka.console.AdminServer;

/**
 * How the process's file descriptors are shared out at start: what the JVM has open, some for everything uncounted, and of the
 * rest a part for storage, which connections cannot have. So clients can never take the descriptor that a partition needs to go on (DESIGN section
 * 8): at their limit they wait in the kernel's backlog.
 *
 * @param connections at most so many
 * @param files that storage may have open
 */
record Descriptors(int connections, int files) {
  /** Selectors, directories while they are synced, the lock, log files, the admin server, whatever libraries open for a moment. */
  private static final int UNCOUNTED = 48 + AdminServer.MAX_DESCRIPTORS;

  private static final int LEAST = 32;

  /** Storage gets half of what there is up to this, and at least a quarter. */
  private static final int ENOUGH_FILES = 1000;

  /**
   * @param wantedConnections what the operator asked for
   * @throws BrokerStartException if the process's limit leaves too few to work with
   */
  static Descriptors share(int wantedConnections) throws BrokerStartException {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
      return new Descriptors(wantedConnections, Integer.MAX_VALUE / 2);
    }
    return share(wantedConnections, system.getOpenFileDescriptorCount(), system.getMaxFileDescriptorCount());
  }

  static Descriptors share(int wantedConnections, long open, long max) throws BrokerStartException {
    long left = Math.min(max, Integer.MAX_VALUE / 2) - open - UNCOUNTED;
    if (left < LEAST) {
      throw new BrokerStartException(
          "limit of " + max + " open files: at least " + (open + UNCOUNTED + LEAST) + " are needed (ulimit -n, LimitNOFILE)", null);
    }
    long storage = Math.max(left / 4, Math.min(left / 2, ENOUGH_FILES));
    int connections = (int) Math.min(wantedConnections, left - storage);
    return new Descriptors(connections, (int) (left - connections));
  }
}
