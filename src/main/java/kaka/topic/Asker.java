package kaka.topic;

import akka.actor.typed.ActorRef;

/** Who is to be told how a command ended, and by which number it knows it. */
record Asker(long correlationId, ActorRef<TopicReply> replyTo) {
  void ready(TopicRoute route) {
    replyTo.tell(new TopicReply.Ready(correlationId, route));
  }

  void gone() {
    replyTo.tell(new TopicReply.Gone(correlationId));
  }

  void refuse(TopicRefusal reason, String message) {
    replyTo.tell(new TopicReply.TopicRefused(correlationId, reason, message));
  }
}
