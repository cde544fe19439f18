/**
 * Floor 3: transactions that span partitions (KIP-98): which are ongoing, what was decided about them, and the markers that tell
 * every partition so.
 *
 * <p>Invariants: the coordinator's log is the truth, and what it says is durable before anybody hears of it; a decision, once
 * made, is never changed, and every partition of the transaction gets to know it, whatever stops in between. Read
 * {@link kaka.transaction.TransactionState} first.
 */
package kaka.transaction;
