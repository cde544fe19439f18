package kaka.topic;

import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registry's log as the registry writes it: every change goes here first; once one has failed, there are no more. */
final class TopicJournal {
  private static final Logger LOG = LoggerFactory.getLogger(TopicJournal.class);

  private final Optional<TopicLog> log; // empty if it cannot be used
  private String unchangeable = ""; // why topics cannot change any more

  private TopicJournal(Optional<TopicLog> log) {
    this.log = log;
  }

  static TopicJournal of(TopicLog log) {
    return new TopicJournal(Optional.of(log));
  }

  /** For a log that is damaged. @param why for people */
  static TopicJournal closed(String why) {
    TopicJournal journal = new TopicJournal(Optional.empty());
    journal.unchangeable = why;
    return journal;
  }

  /** Writes and syncs an event; once that has failed, never again (DESIGN law 3). @return whether it is on disk */
  boolean record(TopicEvent event) {
    if (log.isEmpty() || !unchangeable.isEmpty()) {
      return false;
    }
    try {
      log.get().append(event);
      return true;
    } catch (IOException e) {
      unchangeable = "the log of topics failed: " + e.getMessage();
      LOG.error("topic log failed, topics can no longer change cause={}", e.toString(), e);
      return false;
    }
  }

  /** Whether it tells of all topics that there are. */
  boolean isComplete() {
    return log.isPresent();
  }

  /** Why {@link #record} refuses, for people; empty if it does not. */
  String unchangeable() {
    return unchangeable;
  }

  void close() {
    if (log.isEmpty()) {
      return;
    }
    try {
      log.get().close();
    } catch (IOException e) {
      LOG.error("topic log not closed cause={}", e.toString());
    }
  }
}
