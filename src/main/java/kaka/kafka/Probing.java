package kaka.kafka;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Counts what it takes Kafka's collections to find places for elements, without putting them there: an element looks from its hash on,
 * place by place; and when the collection is half full it takes twice the room, where each element, as it leaves, has those
 * behind it move up. The places are the same as there; of the moves it is an upper bound that is counted.
 */
final class Probing {
  /** Room for so many is made at once, if an array has as many. */
  private static final int MAX_EXPECTED = 1000;

  private static final int LEAST_CAPACITY = 5;

  /** So few are not worth the counting: they are taken for the worst. */
  private static final int FEW = 8;

  private static final int FREE = -1;

  /** Told of at least so many at a time. */
  private static final int TOLD_STEPS = 4096;

  /** By place: how far from where it belongs the element there is, or {@link #FREE}. */
  private int[] distances = {};

  private final LongConsumer told;
  private long untold;

  private Probing(LongConsumer told) {
    this.told = told;
  }

  /**
   * Counts what it takes to put elements in, one after the other, in the order of their hashes.
   *
   * @param hashes those of the elements, from the first on
   * @param told of the steps, as they are counted; what it throws ends the counting
   */
  static void count(int[] hashes, int count, LongConsumer told) {
    if (count <= FEW) {
      told.accept((long) count * count * count);
    } else {
      new Probing(told).fill(hashes, count);
    }
  }

  private void fill(int[] hashes, int count) {
    distances = places(Math.min(count, MAX_EXPECTED));
    for (int size = 0; size < count; size++) {
      if (size + 1 >= distances.length / 2) {
        step(stepsToLeave());
        distances = places(distances.length);
        for (int i = 0; i < size; i++) {
          step(put(hashes[i]));
        }
      }
      step(put(hashes[size]));
    }
    told.accept(untold);
  }

  private void step(long steps) {
    untold += steps;
    if (untold >= TOLD_STEPS) {
      told.accept(untold);
      untold = 0;
    }
  }

  private static int[] places(int expected) {
    int[] places = new int[Math.max(LEAST_CAPACITY, 2 * expected + 1)];
    Arrays.fill(places, FREE);
    return places;
  }

  private int put(int hash) {
    int capacity = distances.length;
    int distance = 0;
    int place = (hash & Integer.MAX_VALUE) % capacity;
    while (distances[place] != FREE) {
      distance++;
      place = place + 1 == capacity ? 0 : place + 1;
    }
    distances[place] = distance;
    return distance + 1;
  }

  /** Each that leaves a row of neighbours has every other one of the row look for its place again, which is no farther than it was. */
  private long stepsToLeave() {
    int capacity = distances.length;
    int start = 0;
    while (distances[start] != FREE) {
      start++; // there is one: at most half of the places are taken
    }
    long steps = capacity;
    long length = 0;
    long distance = 0;
    for (int i = 1; i <= capacity; i++) {
      int at = distances[(start + i) % capacity];
      if (at != FREE) {
        length++;
        distance += at;
      } else {
        steps += length * (2 * length + distance);
        length = 0;
        distance = 0;
      }
    }
    return steps;
  }
}
