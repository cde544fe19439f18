package kaka.kafka;

import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection.Element;

/**
 * Puts elements into Kafka's collections for an answer, of which nobody asks but what comes next. Such a collection looks for a place
 * for each by the hash of its name, or number, and on from there while it is taken; whoever chose the names could make that take as
 * long as they like: see {@link HashedArrays}. So an element goes in by a name whose place is free, as are its neighbours, and gets
 * its own name then. Nothing can be found in the collection by its name, nor more be added than there is room for.
 */
final class Places {
  /** The base of the hash of a text. */
  private static final int BASE = 31;

  private Places() {}

  /** The number of elements that a collection for {@code count} is to be made for: it never grows then, and every other place stays free. */
  static int room(int count) {
    return 2 * count + 2;
  }

  /** @param to was made with {@link #room} for all that are added to it */
  static <E extends Element> void add(ImplicitLinkedHashCollection<E> to, E element, BiConsumer<E, String> name, String own) {
    name.accept(element, text(2 * to.size()));
    to.mustAdd(element);
    name.accept(element, own);
  }

  /** As {@link #add(ImplicitLinkedHashCollection, Element, BiConsumer, String)}, where it is a number that elements are known by. */
  static <E extends Element> void add(ImplicitLinkedHashCollection<E> to, E element, ObjIntConsumer<E> number, int own) {
    number.accept(element, 2 * to.size());
    to.mustAdd(element);
    number.accept(element, own);
  }

  /** One whose hash that is: its digits, as characters. */
  private static String text(int hash) {
    if (hash == 0) {
      return "";
    }
    char[] digits = new char[7]; // those of the largest
    int from = digits.length;
    for (int left = hash; left > 0; left /= BASE) {
      digits[--from] = (char) (left % BASE);
    }
    return new String(digits, from, digits.length - from);
  }
}
