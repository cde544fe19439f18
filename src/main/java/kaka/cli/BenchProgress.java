package kaka.cli;

import java.util.Locale;
import kaka.bench.Bench;
import kaka.bench.Load;

/** What a running load does, in one line: its phase, for how long, and the rate since the last look. */
final class BenchProgress {
  private final Load load;
  private final Bench bench;
  private Bench.Status last = new Bench.Status(Bench.Phase.STARTING, 0, 0);

  BenchProgress(Load load, Bench bench) {
    this.load = load;
    this.bench = bench;
  }

  String line() {
    Bench.Status now = bench.status();
    String line = line(load, last, now);
    last = now;
    return line;
  }

  static String line(Load load, Bench.Status before, Bench.Status now) {
    boolean isSame = before.phase() == now.phase() && before.records() <= now.records() && before.seconds() < now.seconds();
    double seconds = isSame ? now.seconds() - before.seconds() : now.seconds();
    long records = isSame ? now.records() - before.records() : now.records();
    double rate = seconds <= 0 ? 0 : records / seconds;
    return String.format(
        Locale.ROOT, "%s: %s %.0f s, %,d records, %,.0f/s", load.label(), now.phase().label(), now.seconds(), now.records(), rate);
  }
}
