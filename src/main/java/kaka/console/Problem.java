package kaka.console;

import java.util.List;

/**
 * Something that is wrong now.
 *
 * @param kind one of a few words, for alerts
 * @param subject what it is about, such as a partition; may be empty
 * @param detail what is wrong, for people
 * @param advice what to do about it
 */
public record Problem(Kind kind, String subject, String detail, String advice) {
  /** What can be wrong. */
  public enum Kind {
    STARTING("starting"),
    STOPPING("stopping"),
    PARTITION_FAILED("partition_failed"),
    TOPICS_FAILED("topics_failed"),
    GROUPS_FAILED("groups_failed"),
    TRANSACTIONS_FAILED("transactions_failed"),
    DISK_NEARLY_FULL("disk_nearly_full"),
    DISK_UNREADABLE("disk_unreadable");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** All of them, as the field {@code problems}. */
  static void writeAll(JsonWriter out, List<Problem> problems) {
    out.array("problems");
    for (Problem each : problems) {
      out.object()
          .put("problem", each.kind.label())
          .put("subject", each.subject)
          .put("detail", each.detail)
          .put("advice", each.advice)
          .end();
    }
    out.endArray();
  }

  String toJson() {
    return new JsonObject()
        .put("problem", kind.label())
        .put("subject", subject)
        .put("detail", detail)
        .put("advice", advice)
        .toString();
  }
}
