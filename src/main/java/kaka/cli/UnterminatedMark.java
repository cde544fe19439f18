package kaka.cli;

import java.util.List;
import kaka.client.ConsumedRecord;
import kaka.record.Header;

/**
 * A header that {@code produce} puts on the last record of an input that does not end with a separator, so that
 * {@code consume}, if that record is the last it prints, can end as the input did.
 */
final class UnterminatedMark {
  private static final String NAME = "kaka-unterminated";

  static final List<Header> HEADERS = List.of(new Header(NAME, new byte[0]));

  private UnterminatedMark() {}

  static boolean isOn(ConsumedRecord record) {
    return !record.headers().isEmpty() && record.headers().stream().anyMatch(header -> header.key().equals(NAME));
  }
}
