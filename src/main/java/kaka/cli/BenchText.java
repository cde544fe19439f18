package kaka.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import kaka.bench.LoadResult;
import kaka.bench.Measured;
import kaka.bench.Traffic;
import kaka.bench.Verification;

/** Results for people: a line for each of what a load did, and the verdict. */
final class BenchText {
  private final OutputStream out;

  BenchText(OutputStream out) {
    this.out = out;
  }

  void print(String line) throws IOException {
    out.write((line + "\n").getBytes(UTF_8));
  }

  /** @param isFirst whether the head of the table is due */
  void print(LoadResult result, boolean isFirst) throws IOException {
    if (isFirst) {
      print(shape(result));
      print(String.format(Locale.ROOT, "%-18s %12s %12s %9s %9s %9s %9s %9s", "", "records/s", "bytes/s", "p50", "p90", "p99", "p99.9", "max"));
    }
    String load = result.config().load().label();
    boolean isOnly = result.fetched().isEmpty() && result.endToEnd().isEmpty();
    if (result.produced().isPresent()) {
      row(isOnly ? load : load + " acks", result.produced().get());
    }
    if (result.fetched().isPresent()) {
      row(result.produced().isEmpty() ? load : load + " fetches", result.fetched().get());
    }
    if (result.endToEnd().isPresent()) {
      row(load, result.endToEnd().get());
    }
  }

  private static String shape(LoadResult result) {
    Traffic traffic = result.config().traffic();
    return String.format(
        Locale.ROOT,
        "%d-byte records, %d a request; %d connections, %d in flight on each; fetches of %s",
        traffic.recordBytes(), traffic.batchRecords(), traffic.connections(), traffic.window(), Amounts.bytes(traffic.fetchBytes()));
  }

  private void row(String name, Measured measured) throws IOException {
    StringBuilder row = new StringBuilder(
        String.format(
            Locale.ROOT, "%-18s %,12.0f %12s", name, measured.recordsPerSecond(), Amounts.bytes(measured.bytesPerSecond())));
    for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
      row.append(' ').append(String.format(Locale.ROOT, "%9s", latency(measured.latencyUs(percentile))));
    }
    if (measured.refused() > 0) {
      row.append(String.format(Locale.ROOT, "  %,d refused", measured.refused()));
    }
    if (measured.neverSent() > 0) {
      row.append(String.format(Locale.ROOT, "  behind: %,d requests were due and never sent", measured.neverSent()));
    }
    print(row.toString());
  }

  /** {@code 85 us}, {@code 1.25 ms}, {@code 2.1 s}. */
  static String latency(double us) {
    if (us < 1000) {
      return String.format(Locale.ROOT, "%.0f us", us);
    }
    return us < 1e6
        ? String.format(Locale.ROOT, us < 1e4 ? "%.2f ms" : "%.1f ms", us / 1e3)
        : String.format(Locale.ROOT, "%.2f s", us / 1e6);
  }

  void printVerdict(List<LoadResult> results) throws IOException {
    Verification sum = Verification.NOTHING;
    boolean isVerified = false;
    for (LoadResult result : results) {
      isVerified |= result.verification().isPresent();
      sum = result.verification().map(sum::plus).orElse(sum);
    }
    if (!isVerified) {
      return;
    }
    String read = String.format(Locale.ROOT, "verified: %,d records read back", sum.records());
    print(
        sum.isGood()
            ? read + ", all that was acknowledged is there"
            : read
                + String.format(
                    Locale.ROOT, "; WRONG: %,d requests lost, %,d moved, %,d records corrupt; first: %s",
                    sum.lost(), sum.moved(), sum.corrupt(), sum.first().orElse("?")));
  }
}
