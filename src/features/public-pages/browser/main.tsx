import { addReadersTimes, type TimeProps } from "../../../pages/browser/readers-time.ts";
import { readProps } from "../../../pages/browser/start.ts";

addReadersTimes(readProps<TimeProps>());
