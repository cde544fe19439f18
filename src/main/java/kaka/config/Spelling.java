package kaka.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** What somebody may have meant who wrote a name that there is not. */
public final class Spelling {
  /** A word of so many letters may have one wrong. */
  private static final int LETTERS_PER_CHANGE = 3;

  private Spelling() {}

  /** The name with the fewest letters to change, however many; empty if there is no name. */
  static Optional<String> nearest(String word, Collection<String> names) {
    return names.stream().min(Comparator.comparingInt(name -> changes(word, name)));
  }

  /** The same, if they are few for such a word. */
  public static Optional<String> meant(String word, Collection<String> names) {
    return nearest(word, names).filter(name -> LETTERS_PER_CHANGE * changes(word, name) <= word.length() + 1);
  }

  /** Inserted and deleted letters; a replaced one is both. */
  static int changes(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 2);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
