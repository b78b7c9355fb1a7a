// Finds the word in a second of features again and again, and prints its number (3) and how long that took.
#include <tsmobile.h>

#include "spot_keyword.h"

void setup() {
    Serial.begin(115200);
}

void loop() {
    unsigned long begin = micros();
    int word = spot_keyword();
    unsigned long end = micros();
    Serial.print("word ");
    Serial.print(word);
    Serial.print(", microseconds: ");
    Serial.println(end - begin);
    delay(1000);
}
