package kaka.log;

/** What has to be let go of at an end: each step is taken, whatever the others throw. On one thread. */
public final class CleanUp {
  private Throwable first;

  /** Takes one step. */
  public void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) { // thrown by end, when the other steps are taken
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
    }
  }

  /** After the last step: throws what the first one that failed has thrown, and the others' as suppressed by it. */
  public void end() {
    if (first instanceof Error error) {
      throw error;
    } else if (first != null) {
      throw (RuntimeException) first; // a Runnable throws nothing else
    }
  }
}
