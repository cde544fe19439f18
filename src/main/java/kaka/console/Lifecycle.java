package kaka.console;

import java.time.Duration;

/** How far the broker has come; told by whoever starts and stops it. Safe from any thread. */
public final class Lifecycle {
  /** What it does at present. */
  public enum Phase {
    STARTING,
    SERVING,
    STOPPING
  }

  private volatile Phase phase = Phase.STARTING;
  private volatile Duration recovery = Duration.ZERO;
  private volatile String topicsProblem = "";

  /**
   * Everything has opened or failed.
   *
   * @param topicsProblem why topics cannot be created or deleted; empty if they can
   */
  public void serving(Duration recovery, String topicsProblem) {
    this.recovery = recovery;
    this.topicsProblem = topicsProblem;
    if (phase == Phase.STARTING) {
      phase = Phase.SERVING;
    }
  }

  public void stopping() {
    phase = Phase.STOPPING;
  }

  Phase phase() {
    return phase;
  }

  Duration recovery() {
    return recovery;
  }

  String topicsProblem() {
    return topicsProblem;
  }
}
