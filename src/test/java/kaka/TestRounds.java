package kaka;

/**
 * How much a test does of which more would only be more of the same: a little in the build's own run, and
 * {@code -Dkaka.rounds=N} times as much where there is time, as in {@code ops/checks/seeds.sh}.
 */
public final class TestRounds {
  private TestRounds() {}

  /** @return {@code usual}, times what was asked for */
  public static int of(int usual) {
    return usual * factor();
  }

  /** For what is passed over between two looks: shorter, and at least 1, where more is to be seen. */
  public static int stride(int usual) {
    return Math.max(1, usual / factor());
  }

  private static int factor() {
    return Integer.getInteger("kaka.rounds", 1);
  }
}
