package kaka.bench;

import java.util.Optional;

/**
 * What one load came to.
 *
 * @param config with which it was run
 * @param produced what was acknowledged
 * @param fetched what those got who read from the start; latencies are of answers
 * @param endToEnd what those got who read at the end; latencies are of records
 * @param verification what was found when it was read back; empty if it was not, or there was nothing to read back
 */
public record LoadResult(
    BenchConfig config,
    Optional<Measured> produced,
    Optional<Measured> fetched,
    Optional<Measured> endToEnd,
    Optional<Verification> verification) {
  public boolean isGood() {
    return verification.map(Verification::isGood).orElse(true);
  }
}
