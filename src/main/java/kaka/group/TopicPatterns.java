package kaka.group;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.stream.Collectors;

/**
 * The patterns by which members subscribe (KIP-848), and the topics whose names match. They are clients' own, so they are matched by
 * RE2, whose time is the product of the pattern's size and the text's, never more; the pattern's size is bounded; and of many topics a
 * few are looked at a time, by {@link #work}. Belongs to the coordinator's actor.
 */
final class TopicPatterns {
  private static final int MAX_LENGTH = 1000;

  /** Length, times how often counted repetitions multiply what they repeat. */
  private static final long MAX_WEIGHT = 10_000;

  /** Weight times characters looked at in one go: some ten milliseconds. */
  private static final long STEPS_AT_ONCE = 2_000_000;

  private static final int BYTES_PER_WEIGHT = 100;
  private static final int BYTES_PER_NAME = 64;
  private static final java.util.regex.Pattern REPETITION = java.util.regex.Pattern.compile("\\{(\\d*)(?:,(\\d*))?\\}");

  private static final class Use {
    final Pattern compiled;
    final long weight;
    final Deque<Iterator<String>> left = new ArrayDeque<>(); // topics not looked at yet
    final Set<String> found = new TreeSet<>();
    Set<String> names = Set.of(); // what was found when all had been looked at; never more than is found now
    int memberCount;

    Use(String pattern) {
      compiled = Pattern.compile(pattern);
      weight = weight(pattern);
    }
  }

  private final Map<String, Use> uses = new HashMap<>();
  private Topics topics = Topics.NONE;
  private final Set<Use> behind = new LinkedHashSet<>(); // those with topics that they were not tried on
  private long nameCount; // in all that was found
  private long weightSum;

  /** Whether it is one that this can match, by its size and its syntax. */
  static boolean isGood(String pattern) {
    if (pattern.length() > MAX_LENGTH || weight(pattern) > MAX_WEIGHT) {
      return false;
    }
    try {
      Pattern.compile(pattern);
      return true;
    } catch (PatternSyntaxException e) {
      return false;
    }
  }

  /** At least what it takes when every repetition that is counted is written out. */
  static long weight(String pattern) {
    long weight = Math.max(1, pattern.length());
    Matcher repetition = REPETITION.matcher(pattern);
    while (repetition.find() && weight <= MAX_WEIGHT) {
      weight *= Math.max(1, Math.max(number(repetition.group(1)), number(repetition.group(2))));
    }
    return weight;
  }

  private static long number(String digits) {
    if (digits == null || digits.isEmpty()) {
      return 0;
    }
    return digits.length() > 5 ? MAX_WEIGHT + 1 : Long.parseLong(digits);
  }

  /** What a pattern that nobody uses yet takes at most. */
  long costOf(String pattern) {
    return uses.containsKey(pattern) ? 0 : BYTES_PER_WEIGHT * weight(pattern) + (long) BYTES_PER_NAME * topics.byName().size();
  }

  /** A member subscribes by it. */
  void use(String pattern) {
    Use use = uses.get(pattern);
    if (use == null) {
      use = new Use(pattern);
      uses.put(pattern, use);
      weightSum += use.weight;
      look(use, topics.byName().keySet());
      work(use, STEPS_AT_ONCE);
    }
    use.memberCount++;
  }

  /** A member does no longer. */
  void release(String pattern) {
    Use use = uses.get(pattern);
    if (--use.memberCount == 0) {
      uses.remove(pattern);
      behind.remove(use);
      weightSum -= use.weight;
      nameCount -= use.found.size();
    }
  }

  private void look(Use use, Collection<String> names) {
    if (!names.isEmpty()) {
      use.left.add(names.iterator());
      behind.add(use);
    }
  }

  /** From now on there are those topics. What this takes is by what has changed, not by what there is. */
  void topics(Topics now) {
    List<String> added = now.byName().keySet().stream().filter(name -> !topics.byName().containsKey(name)).toList();
    List<String> gone = topics.byName().keySet().stream().filter(name -> !now.byName().containsKey(name)).toList();
    topics = now;
    for (Use use : uses.values()) {
      forget(use, gone);
      look(use, added);
    }
  }

  private void forget(Use use, List<String> gone) {
    boolean isNamed = false;
    for (String name : gone) {
      if (use.found.remove(name)) {
        nameCount--;
        isNamed |= use.names.contains(name);
      }
    }
    if (isNamed) {
      use.names = use.names.stream().filter(use.found::contains).collect(Collectors.toUnmodifiableSet());
    }
  }

  /** Topics that exist and match, as far as they have been looked at. */
  Set<String> matching(String pattern) {
    Use use = uses.get(pattern);
    return use == null ? Set.of() : use.names;
  }

  /** Whether there are topics that a pattern was not tried on. */
  boolean isBehind() {
    return !behind.isEmpty();
  }

  /** Tries some patterns on some topics. @return whether there are other topics for any than before */
  boolean work() {
    boolean isAnyOther = false;
    long left = STEPS_AT_ONCE;
    while (!behind.isEmpty() && left > 0) {
      Use use = behind.iterator().next();
      int before = use.names.size();
      left = work(use, left);
      isAnyOther |= use.names.size() != before;
    }
    return isAnyOther;
  }

  /** @return how many of the steps are left */
  private long work(Use use, long steps) {
    long left = steps;
    while (!use.left.isEmpty() && left > 0) {
      Iterator<String> names = use.left.peek();
      if (!names.hasNext()) {
        use.left.remove();
        continue;
      }
      String name = names.next();
      left -= use.weight * name.length();
      if (topics.byName().containsKey(name) && use.compiled.matches(name) && use.found.add(name)) {
        nameCount++;
      }
    }
    if (use.left.isEmpty()) {
      behind.remove(use);
      if (use.names.size() != use.found.size()) {
        use.names = Set.copyOf(use.found);
      }
    }
    return left;
  }

  /** In memory, about. */
  long sizeBytes() {
    return BYTES_PER_NAME * nameCount + BYTES_PER_WEIGHT * weightSum;
  }
}
