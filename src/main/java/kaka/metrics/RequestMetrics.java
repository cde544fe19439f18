package kaka.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

/** Requests by protocol and kind: how long they took, and which were refused. Safe from any thread. */
public final class RequestMetrics {
  /** Kinds of one protocol are numbered below this; what a client makes up beyond has one series together. */
  private static final int KINDS = 256;

  /** One kind of request. */
  public static final class Kind {
    private final String name;
    private final Histogram durations = Histogram.ofDurations();

    private Kind(String name) {
      this.name = name;
    }

    /** So many requests that arrived together were answered together. */
    public void answered(long durationNs, long count) {
      durations.record(durationNs, count);
    }
  }

  private static final class Door {
    private final AtomicReferenceArray<Kind> kinds = new AtomicReferenceArray<>(KINDS + 1);
    private final Labelled refused = new Labelled();
  }

  private final Door[] doors = {new Door(), new Door()};

  /**
   * @param number of the kind in its protocol, from wherever it came
   * @param name gives a number's name, of which there are few
   */
  public Kind kind(Protocol protocol, int number, IntFunction<String> name) {
    AtomicReferenceArray<Kind> kinds = doors[protocol.ordinal()].kinds;
    int index = number >= 0 && number < KINDS ? number : KINDS;
    Kind kind = kinds.get(index);
    if (kind == null) {
      kinds.compareAndSet(index, null, new Kind(name.apply(number)));
      kind = kinds.get(index);
    }
    return kind;
  }

  /** @param reason an error's name, of which there are few */
  public void refused(Protocol protocol, String reason) {
    doors[protocol.ordinal()].refused.add(reason, 1);
  }

  /** How often that was the answer. */
  public long refusedCount(Protocol protocol, String reason) {
    return doors[protocol.ordinal()].refused.of(reason);
  }

  /** What was refused, by reason. */
  public Labelled refused(Protocol protocol) {
    return doors[protocol.ordinal()].refused;
  }

  void collect(Samples out) {
    for (Protocol protocol : Protocol.values()) {
      Door door = doors[protocol.ordinal()];
      Map<String, List<Histogram>> byName = new TreeMap<>();
      for (int i = 0; i < door.kinds.length(); i++) {
        Kind kind = door.kinds.get(i);
        if (kind != null) {
          byName.computeIfAbsent(kind.name, unseen -> new ArrayList<>()).add(kind.durations);
        }
      }
      byName.forEach((name, durations) -> out.add(Metric.REQUEST_SECONDS, durations, protocol.label(), name));
      door.refused.collect(out, Metric.REQUESTS_REFUSED, protocol.label());
    }
  }
}
