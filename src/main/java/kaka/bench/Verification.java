package kaka.bench;

import java.util.Optional;

/**
 * What was found when everything that was acknowledged was read back.
 *
 * @param records of this run that were read
 * @param lost acknowledged requests whose records are not there, wholly or in part
 * @param moved requests, or ranges of them, whose records are elsewhere than their ack said, or come twice or out of order
 * @param corrupt records whose bytes are not those that were sent
 * @param first the first thing that was wrong, for people
 */
public record Verification(long records, long lost, long moved, long corrupt, Optional<String> first) {
  public static final Verification NOTHING = new Verification(0, 0, 0, 0, Optional.empty());

  public boolean isGood() {
    return lost == 0 && moved == 0 && corrupt == 0;
  }

  public Verification plus(Verification other) {
    return new Verification(
        records + other.records, lost + other.lost, moved + other.moved, corrupt + other.corrupt, first.or(other::first));
  }
}
