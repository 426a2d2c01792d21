//= unsure
