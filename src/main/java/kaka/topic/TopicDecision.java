package kaka.topic;

/** What becomes of a wish about a topic. */
sealed interface TopicDecision {
  /** It can be done; the topic is like this then. */
  record Accepted(Topic topic) implements TopicDecision {}

  /** @param message why not, for people */
  record Refused(TopicRefusal reason, String message) implements TopicDecision {}
}
