package kaka.cli;

/** How the process ends. */
final class ExitCode {
  /** Done, or stopped because asked to. */
  static final int OK = 0;

  /** Failed while running. */
  static final int FAILED = 1;

  /** Wrong usage or configuration: nothing was started. */
  static final int USAGE = 2;

  private ExitCode() {}
}
