package kaka.metrics;

/** Whose requests are counted. */
public enum Protocol {
  NATIVE("native"),
  KAFKA("kafka");

  private final String label;

  Protocol(String label) {
    this.label = label;
  }

  /** As its name stands in metrics. */
  public String label() {
    return label;
  }
}
