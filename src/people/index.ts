export { openPeople, type People, type PeopleOptions, type Person } from './people.ts';
