import { useCallback, useEffect, useRef, useState } from "preact/hooks";

type State<T> = { value?: T; error?: unknown; isBusy: boolean };

export type Loaded<T> = State<T> & {
  reload: () => Promise<void>;
  /**
   * Changes the value that is shown now, which can be newer than `value`. A reply to a load that is
   * still under way replaces the changed value.
   */
  update: (change: (value: T) => T) => void;
};

/**
 * Loads a value when the component is shown, and again when an input changes. A reply that is
 * overtaken by a later request is dropped.
 */
export function useLoaded<T extends object | undefined>(
  load: () => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isBusy: true });
  const latest = useRef(0);
  // A long action may have kept a `reload` of earlier inputs, which must load for the current ones.
  const current = useRef(load);
  current.current = load;
  const reload = useCallback(async () => {
    const number = ++latest.current;
    setState((before) => ({ ...before, isBusy: true }));
    const next = await current.current().then(
      (value) => ({ value, isBusy: false }),
      (error: unknown) => ({ error, isBusy: false }),
    );
    if (number === latest.current) setState(next);
  }, inputs);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  const update = (change: (value: T) => T) =>
    setState((before) => (before.value ? { ...before, value: change(before.value) } : before));
  return { ...state, reload, update };
}

export type Action<A extends unknown[]> = State<never> & {
  start: (...args: A) => Promise<void>;
};

/**
 * Returns the state of a button's action, and a function that starts the action. A start during a
 * run is ignored. An error stays until the next start.
 */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<State<never>>({ isBusy: false });
  const isRunning = useRef(false);
  const start = async (...args: A): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true });
    try {
      await run(...args);
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    } finally {
      isRunning.current = false;
    }
  };
  return { ...state, start };
}
