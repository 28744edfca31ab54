import { fleetText } from './fleet-text';
import { shellText } from './shell-text';

/** Every string that a person can see stands in this folder. Strings with parameters are functions. */
export const text = { shell: shellText, fleet: fleetText };
